// SPDX-License-Identifier: GPL-2.0-only
/// Drivers with an ->update_eas_compatibility() callback must have the
/// compatibility of a policy with EAS evaluated again after changing anything that
/// it depends on: the EPP in effect, or the governor term if they provide
/// ->setpolicy().  Find the ways through intel_pstate and amd-pstate on which that
/// does not happen.
///
//# What changes anything is found by the names of registers and fields.  Functions
//# that leave the evaluation to their callers are followed up to those that have no
//# callers in the file.  It is fine to skip the evaluation
//#  - if the change has failed and the error is returned,
//#  - if nothing has changed according to amd_pstate_epp_known() or
//#    intel_pstate_epp_in_effect(), or if there is no policy,
//#  - in callbacks invoked by the core before it evaluates everything itself, in
//#    drivers that have nothing to evaluate, and in __init functions, which are done
//#    before there are policies,
//#  - if an update of MSR_HWP_REQUEST only touches other fields of it.
///
// Confidence: High
// Options: --no-includes
// Keywords: cpufreq, intel_pstate, amd-pstate, EAS, EPP

virtual report

@initialize:python@
@@
import re

# Callbacks of struct cpufreq_driver that the core evaluates everything after (or,
# in the case of the last one, that ->resume() follows).
CORE = {"init", "exit", "online", "offline", "suspend"}

sites = {}	# where something changes: function
ways = {}	# where something changes or something is called: ends of ways out
failed = set()	# the same and an end, if nothing has changed
keeps = set()	# functions that take over the cached value of MSR_HWP_REQUEST ...
touches = set()	# ... and those that touch EPP in it
calls = {}	# where something is called: caller, function called
uses = {}	# function: drivers and callbacks
has_eas = set()	# drivers that have something to evaluate
text = {}	# file: what is in there
names = set()	# those that a rule has to look at in this file
may = {}	# file: functions that may change something

def at(p):
    return (p.file, int(p.line), int(p.column))

# Functions are static, so their names only mean something in one file.
def name(p, f):
    return (p.file, str(f))

def function(p):
    return name(p, p.current_element)

def complain(p, what):
    print("%s:%d:%d-%d: ERROR: %s" % (p + (p[2] + 1, what)))

# The parser is told that scoped_guard() is a loop, but nothing goes back in there.
def leave(p, q):
    for x in p:
        ways.setdefault(at(x), set()).update(at(y) for y in q if at(y)[1] >= at(x)[1])

def matching(f, regex):
    if f[0] not in text:
        with open(f[0]) as source:
            text[f[0]] = source.read()
    return re.search(regex % f[1], text[f[0]])

def is_init(f):
    return matching(f, r"\b__init\s+\*?%s\(")

def is_static_call(f):
    return matching(f, r"\b(?:DEFINE_STATIC_CALL|static_call_update)\(\w+, %s\)")

def closure(functions):
    more = set(functions)
    while more:
        functions |= more
        more = {f for f, g in calls.values() if g in functions} - functions
    return functions

# Before this is called, all that there is in a file has been seen.
def find_names(file):
    global names
    if file not in may:
        here = [x for x in sites if x[0] == file]
        may[file] = closure({sites[x][0] for x in here if changes(x)})
        names = {g for f, g in may[file]} | {calls[x][1][1] for x in here if x in calls}

def changes(p):
    return not (sites[p][1] and sites[p][0] in keeps - touches)

// Changes.  The names of values written to a register tell nothing, but what is in
// the cache has been seen when it got there.

@same@
symbol hwp_is_hybrid, epp_values, policy, true;
position p;
expression E;
@@
wrmsrq@p(MSR_HWP_REQUEST, E->hwp_req_cached)

@hwp@
position p != same.p;
expression E, V;
@@
(
WRITE_ONCE@p(E->hwp_req_cached, V)
|
E->hwp_req_cached =@p V
|
wrmsrq@p(MSR_HWP_REQUEST, V)
|
wrmsrq_on_cpu@p(E, MSR_HWP_REQUEST, V)
|
wrmsrq_safe_on_cpu@p(E, MSR_HWP_REQUEST, V)
)

@script:python@
p << hwp.p;
@@
for x in p:
    sites[at(x)] = (function(x), True)

@keeps@
position p;
identifier v;
expression E;
type T;
@@
T v = READ_ONCE@p(E->hwp_req_cached);

@script:python@
p << keeps.p;
@@
keeps.update(function(x) for x in p)

@touches@
position p;
identifier v;
@@
(
GENMASK_ULL@p(31, 24)
|
HWP_ENERGY_PERF_PREFERENCE@p(...)
|
rdmsrq@p(MSR_HWP_REQUEST, v)
|
rdmsrq_on_cpu@p(..., MSR_HWP_REQUEST, &v)
|
rdmsrq_safe_on_cpu@p(..., MSR_HWP_REQUEST, &v)
|
intel_pstate_read_hwp_req@p(..., &v)
)

@script:python@
p << touches.p;
@@
touches.update(function(x) for x in p)

@other@
position p;
identifier s =~ "_(set_epp|update_perf)$";
expression E, V, M;
@@
(
WRITE_ONCE@p(E->cppc_req_cached, V)
|
E->cppc_req_cached =@p V
|
FIELD_MODIFY@p(M, &E->cppc_req_cached, V)
|
wrmsrq@p(MSR_AMD_CPPC_REQ, V)
|
wrmsrq_on_cpu@p(E, MSR_AMD_CPPC_REQ, V)
|
wrmsrq_safe_on_cpu@p(E, MSR_AMD_CPPC_REQ, V)
|
cppc_set_epp_perf@p(...)
|
cppc_set_epp@p(...)
|
static_call@p(s)(...)
|
WRITE_ONCE@p(E->policy, V)
|
E->policy =@p V
|
epp_values[EPP_INDEX_PERFORMANCE] =@p V
)

@script:python@
p << other.p;
@@
for x in p:
    sites[at(x)] = (function(x), False)

// Who calls whom.

@call@
position p;
identifier g;
@@
g@p(...)

@script:python@
p << call.p;
g << call.g;
@@
for x in p:
    calls[at(x)] = (function(x), name(x, g))

// This makes scoped_guard() known to the parser, in all of the rules.

@callback@
iterator name scoped_guard;
position p;
identifier d, m, f;
@@
struct cpufreq_driver d@p = { ..., .m = f, ... };

@script:python@
p << callback.p;
d << callback.d;
m << callback.m;
f << callback.f;
@@
uses.setdefault(name(p[0], f), []).append((name(p[0], d), str(m)))
if str(m) == "update_eas_compatibility":
    has_eas.add(name(p[0], d))

@callback_later@
position p;
identifier d, f;
@@
(
d.adjust_perf =@p f
|
d->adjust_perf =@p f
)

@script:python@
p << callback_later.p;
d << callback_later.d;
f << callback_later.f;
@@
uses.setdefault(name(p[0], f), []).append((name(p[0], d), "adjust_perf"))

// Only these are of interest from here on.

@script:python@
p << call.p;
@@
find_names(p[0].file)

// Ways out of functions without evaluation.

@way exists@
position p, q;
identifier g : script:python() { g in names };
@@
g@p(...)
... when any
    when != cpufreq_update_eas_compatibility(...)
    when != amd_pstate_epp_changed(...)
    when != if (<+... amd_pstate_epp_known(...) ...+>) cpufreq_update_eas_compatibility(...);
    when != if (<+... intel_pstate_epp_in_effect(...) ...+>) cpufreq_update_eas_compatibility(...);
    when != if (policy) amd_pstate_epp_changed(policy);
return@q ...;

@script:python@
p << way.p;
q << way.q;
@@
leave(p, q)

// Functions without any "return" are not looked at by the rule above.

@fall exists@
position p;
identifier f;
identifier g : script:python() { g in names };
@@
f(...) {
... when any
g@p(...)
... when any
    when != cpufreq_update_eas_compatibility(...)
    when != amd_pstate_epp_changed(...)
    when != if (<+... amd_pstate_epp_known(...) ...+>) cpufreq_update_eas_compatibility(...);
    when != if (<+... intel_pstate_epp_in_effect(...) ...+>) cpufreq_update_eas_compatibility(...);
    when != if (policy) amd_pstate_epp_changed(policy);
    when != return ...;
}

@script:python@
p << fall.p;
@@
leave(p, p)

@back@
position p, q;
identifier g : script:python() { g in names };
@@
return@q <+... g@p(...) ...+>;

@script:python@
p << back.p;
q << back.q;
@@
leave(p, q)

@assigned exists@
position p, q;
expression E, V;
@@
(
E->hwp_req_cached =@p V
|
E->cppc_req_cached =@p V
|
E->policy =@p V
|
epp_values[EPP_INDEX_PERFORMANCE] =@p V
)
... when any
    when != cpufreq_update_eas_compatibility(...)
    when != amd_pstate_epp_changed(...)
    when != if (<+... amd_pstate_epp_known(...) ...+>) cpufreq_update_eas_compatibility(...);
    when != if (<+... intel_pstate_epp_in_effect(...) ...+>) cpufreq_update_eas_compatibility(...);
    when != if (policy) amd_pstate_epp_changed(policy);
return@q ...;

@script:python@
p << assigned.p;
q << assigned.q;
@@
leave(p, q)

// Nothing has changed on those.

@failing exists@
position p, q;
identifier g : script:python() { g in names };
expression R, V;
@@
R = <+... g@p(...) ...+>;
if (R)
(
return@q V;
|
{
... when any
return@q V;
}
)

@script:python@
p << failing.p;
q << failing.q;
@@
failed.update((at(x), at(y)) for x in p for y in q)

// Whether or not the processor is hybrid matters to all policies at once.

@hybrid exists@
position p;
iterator name for_each_online_cpu;
expression C;
@@
WRITE_ONCE@p(hwp_is_hybrid, true);
for_each_online_cpu(C) {
<+...
cpufreq_update_eas_compatibility(...)
...+>
}

@not_hybrid@
position p != hybrid.p;
expression V;
@@
(
WRITE_ONCE@p(hwp_is_hybrid, V)
|
hwp_is_hybrid =@p V
)

@script:python@
p << not_hybrid.p;
@@
complain(at(p[0]), "hwp_is_hybrid changes without cpufreq_update_eas_compatibility() for all policies")

// What evaluates has to do so.

@evaluates exists@
position p;
identifier f = amd_pstate_epp_changed;
@@
f@p(...) {
... when any
    when != cpufreq_update_eas_compatibility(...)
}

@script:python@
p << evaluates.p;
@@
complain(at(p[0]), "amd_pstate_epp_changed() does not always evaluate the compatibility with EAS")

@finalize:python@
@@
leaks = {}	# function: the first place in it from where it is left without evaluation

def look(p, f):
    if f in leaks or is_init(f) or all((p, q) in failed for q in ways.get(p, ())):
        return False
    leaks[f] = p
    return True

for p in sorted(sites):
    if changes(p):
        look(p, sites[p][0])
while any([look(p, f) for p, (f, g) in sorted(calls.items()) if g in leaks]):
    pass

called = {g for f, g in calls.values()}
for f, p in sorted(leaks.items()):
    callbacks = uses.get(f, [])
    if (f in called or is_static_call(f)) and not callbacks:
        continue
    if callbacks and all(m in CORE or d not in has_eas for d, m in callbacks):
        continue
    complain(p, "%s() changes EPP or the policy without cpufreq_update_eas_compatibility()" % f[1])
