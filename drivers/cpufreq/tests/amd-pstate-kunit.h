/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KUnit tests of the energy performance preference (EPP) handling in
 * amd-pstate.
 *
 * They operate on policies of their own which are not registered anywhere and
 * the register is a variable, so they can run on any machine and have no effect
 * on it.
 */

#ifdef CONFIG_X86_AMD_PSTATE_KUNIT_TEST

#ifndef _AMD_PSTATE_KUNIT_H
#define _AMD_PSTATE_KUNIT_H

#include <kunit/test.h>

struct amd_epp_test {
	struct cpufreq_policy policy;
	struct cpumask cpus;
	struct amd_cpudata cpudata;
	/* What the processor has been told. */
	u8 epp, min_perf, max_perf;
	unsigned int writes;
	bool fail, fail_limits;
	/* How many times the core has been asked to update the compatibility. */
	unsigned int updates;
	char *buf;		/* a page */
};

static struct amd_epp_test *amd_epp_test_of(struct cpufreq_policy *policy)
{
	return container_of(policy, struct amd_epp_test, policy);
}

static int amd_epp_test_set_epp(struct cpufreq_policy *policy, u8 epp)
{
	struct amd_epp_test *t = amd_epp_test_of(policy);
	u64 *req = &t->cpudata.cppc_req_cached;

	lockdep_assert_held(&t->cpudata.epp_lock);

	if (FIELD_GET(AMD_CPPC_EPP_PERF_MASK, *req) == epp)
		return 0;

	t->writes++;
	if (t->fail)
		return -EIO;

	t->epp = epp;
	FIELD_MODIFY(AMD_CPPC_EPP_PERF_MASK, req, epp);

	return 0;
}

static int amd_epp_test_update_perf(struct cpufreq_policy *policy, u8 min_perf,
				    u8 max_perf, u8 epp)
{
	struct amd_epp_test *t = amd_epp_test_of(policy);

	lockdep_assert_held(&t->cpudata.epp_lock);

	t->writes++;
	if (t->fail)
		return -EIO;

	t->epp = epp;
	FIELD_MODIFY(AMD_CPPC_EPP_PERF_MASK, &t->cpudata.cppc_req_cached, epp);
	/* In shared memory, EPP is written first. */
	if (t->fail_limits)
		return -EIO;

	t->min_perf = min_perf;
	t->max_perf = max_perf;

	return 0;
}

static void amd_epp_test_update_eas(struct cpufreq_policy *policy)
{
	amd_epp_test_of(policy)->updates++;
	amd_pstate_epp_update_eas_compatibility(policy);
}

/* In perf levels, and in kHz for the nominal one */
#define TEST_LOWEST		23
#define TEST_NONLINEAR		43
#define TEST_NOMINAL		77
#define TEST_HIGHEST		196
#define TEST_NOMINAL_FREQ	(TEST_NOMINAL * 26000)

static int amd_epp_test_init(struct kunit *test)
{
	struct amd_epp_test *t;
	union perf_cached *perf;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	t->buf = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->buf);

#ifdef CONFIG_CPUMASK_OFFSTACK
	t->policy.cpus = &t->cpus;
#endif
	cpumask_set_cpu(0, t->policy.cpus);
	t->policy.driver_data = &t->cpudata;

	perf = &t->cpudata.perf;
	perf->lowest_perf = TEST_LOWEST;
	perf->lowest_nonlinear_perf = TEST_NONLINEAR;
	perf->nominal_perf = TEST_NOMINAL;
	perf->highest_perf = TEST_HIGHEST;
	t->cpudata.nominal_freq = TEST_NOMINAL_FREQ;
	t->policy.min = perf_to_freq(*perf, TEST_NOMINAL_FREQ, TEST_NONLINEAR);
	t->policy.max = perf_to_freq(*perf, TEST_NOMINAL_FREQ, TEST_HIGHEST);
	t->policy.cpuinfo.max_freq = t->policy.max;
	t->policy.policy = CPUFREQ_POLICY_POWERSAVE;

	mutex_init(&t->cpudata.epp_lock);
	t->cpudata.policy = CPUFREQ_POLICY_POWERSAVE;
	/* Nothing depends on the power source of this machine. */
	t->cpudata.epp_default_ac = AMD_CPPC_EPP_BALANCE_PERFORMANCE;
	t->cpudata.epp_default_dc = AMD_CPPC_EPP_BALANCE_PERFORMANCE;

	test->priv = t;
	kunit_activate_static_stub(test, amd_pstate_set_epp, amd_epp_test_set_epp);
	kunit_activate_static_stub(test, amd_pstate_epp_update_perf,
				   amd_epp_test_update_perf);
	kunit_activate_static_stub(test, cpufreq_update_eas_compatibility,
				   amd_epp_test_update_eas);
	/* The core does this when a policy becomes active. */
	amd_epp_test_update_eas(&t->policy);
	t->updates = 0;

	return 0;
}

static int amd_epp_test_set_policy(struct amd_epp_test *t, unsigned int policy)
{
	t->policy.policy = policy;

	return amd_pstate_epp_set_policy(&t->policy);
}

static int amd_epp_test_store(struct amd_epp_test *t, const char *what)
{
	ssize_t ret = store_energy_performance_preference(&t->policy, what, strlen(what));

	return ret == strlen(what) ? 0 : ret;
}

static const char *amd_epp_test_show(struct amd_epp_test *t)
{
	ssize_t ret = show_energy_performance_preference(&t->policy, t->buf);

	if (ret > 0)
		strim(t->buf);

	return ret > 0 ? t->buf : "error";
}

enum amd_epp_step {
	END,
	POWERSAVE,		/* the policy is selected ... */
	PERFORMANCE,
	DYNAMIC,		/* ... or dynamic EPP, with a platform profile ... */
	FAIL,			/* ... or accesses fail from now on ... */
	FAIL_LIMITS,		/* ... or only those to the limits do ... */
	WORK,			/* ... or they work again */
};

struct amd_epp_case {
	const char *name;
	struct {
		/* Something is written to sysfs if there is no step. */
		enum amd_epp_step step;
		const char *store;
		int ret;
		enum platform_profile_option profile;
	} steps[8];
	/* What is expected in the end: in the register, shown, and saved. */
	u8 epp;
	const char *shown;
	u8 user;
	bool compatible;
};

#define STORE(what, ...)	{ .store = what, ##__VA_ARGS__ }
#define STEP(what, ...)		{ .step = what, ##__VA_ARGS__ }
#define FAILS(error)		.ret = -(error)
#define LOW_POWER		STEP(DYNAMIC, .profile = PLATFORM_PROFILE_LOW_POWER)
#define BALANCED		STEP(DYNAMIC, .profile = PLATFORM_PROFILE_BALANCED)

static const struct amd_epp_case amd_epp_cases[] = {
	/* With the powersave policy */
	{ "word", { STORE("balance_power") }, 191, "balance_power", 191, true },
	{ "raw", { STORE("77") }, 77, "77", 77, true },
	{ "raw with a name", { STORE("128") }, 128, "128", 128, true },
	{ "raw 0", { STORE("0") }, 0, "0", 0, false },
	{ "raw 1", { STORE("1") }, 1, "1", 1, true },
	{ "raw 255", { STORE("255") }, 255, "255", 255, true },
	{ "too much", { STORE("77"), STORE("256", FAILS(EINVAL)) }, 77, "77", 77, true },
	{ "negative", { STORE("77"), STORE("-1", FAILS(EINVAL)) }, 77, "77", 77, true },
	{ "no word", { STORE("77"), STORE("balance", FAILS(EINVAL)) }, 77, "77", 77, true },
	{ "custom", { STORE("77"), STORE("custom", FAILS(EINVAL)) }, 77, "77", 77, true },
	{ "performance", { STORE("performance") }, 0, "performance", 0, false },
	{ "default", { STORE("77"), STORE("default") },
	  128, "balance_performance", 128, true },
	{ "word after raw", { STORE("77"), STORE("power") }, 255, "power", 255, true },
	{ "limits change", { STORE("77"), STEP(POWERSAVE) }, 77, "77", 77, true },

	/* The performance policy forces 0, and what users want comes back. */
	{ "enter", { STORE("balance_power"), STEP(PERFORMANCE) },
	  0, "performance", 191, false },
	{ "enter with raw", { STORE("77"), STEP(PERFORMANCE) },
	  0, "performance", 77, false },
	{ "enter twice", { STORE("77"), STEP(PERFORMANCE), STEP(PERFORMANCE) },
	  0, "performance", 77, false },
	{ "leave", { STORE("balance_power"), STEP(PERFORMANCE), STEP(POWERSAVE) },
	  191, "balance_power", 191, true },
	{ "leave with raw", { STORE("77"), STEP(PERFORMANCE), STEP(POWERSAVE) },
	  77, "77", 77, true },
	{ "leave with performance",
	  { STORE("performance"), STEP(PERFORMANCE), STEP(POWERSAVE) },
	  0, "performance", 0, false },
	{ "leave with raw 0", { STORE("0"), STEP(PERFORMANCE), STEP(POWERSAVE) },
	  0, "0", 0, false },
	{ "leave twice",
	  { STORE("power"), STEP(PERFORMANCE), STEP(POWERSAVE), STORE("77"),
	    STEP(PERFORMANCE), STEP(POWERSAVE) },
	  77, "77", 77, true },

	/* What is written while it does */
	{ "refused", { STORE("77"), STEP(PERFORMANCE), STORE("power", FAILS(EBUSY)) },
	  0, "performance", 77, false },
	{ "refused, leave",
	  { STORE("77"), STEP(PERFORMANCE), STORE("power", FAILS(EBUSY)), STEP(POWERSAVE) },
	  77, "77", 77, true },
	{ "raw refused", { STORE("77"), STEP(PERFORMANCE), STORE("1", FAILS(EBUSY)) },
	  0, "performance", 77, false },
	{ "dynamic refused", { STORE("77"), STEP(PERFORMANCE), STORE("dynamic", FAILS(EBUSY)) },
	  0, "performance", 77, false },
	{ "dynamic as shown refused",
	  { STORE("77"), STEP(PERFORMANCE), STORE("dynamic(profile:power)", FAILS(EBUSY)) },
	  0, "performance", 77, false },
	{ "performance accepted",
	  { STORE("77"), STEP(PERFORMANCE), STORE("performance") },
	  0, "performance", 0, false },
	{ "performance accepted, leave",
	  { STORE("77"), STEP(PERFORMANCE), STORE("performance"), STEP(POWERSAVE) },
	  0, "performance", 0, false },
	{ "0 accepted, leave",
	  { STORE("power"), STEP(PERFORMANCE), STORE("0"), STEP(POWERSAVE) },
	  0, "0", 0, false },

	/* Dynamic EPP */
	{ "dynamic", { STORE("77"), LOW_POWER }, 255, "dynamic(profile:power)", 77, true },
	{ "dynamic, profile changes", { STORE("77"), LOW_POWER, BALANCED },
	  128, "dynamic(profile:balance_performance)", 77, true },
	{ "dynamic, limits change", { STORE("77"), LOW_POWER, STEP(POWERSAVE) },
	  255, "dynamic(profile:power)", 77, true },
	{ "dynamic twice", { STORE("77"), LOW_POWER, STORE("dynamic") },
	  255, "dynamic(profile:power)", 77, true },
	{ "dynamic as shown", { STORE("77"), LOW_POWER, STORE("dynamic(profile:power)") },
	  255, "dynamic(profile:power)", 77, true },
	{ "dynamic spelled wrong",
	  { STORE("77"), LOW_POWER, STORE("dynamic(profile:power", FAILS(EINVAL)),
	    STORE("dynamic(power)", FAILS(EINVAL)),
	    STORE("dynamic(profile:power) 1", FAILS(EINVAL)) },
	  255, "dynamic(profile:power)", 77, true },
	{ "dynamic ends, raw", { STORE("power"), LOW_POWER, STORE("77") },
	  77, "77", 77, true },
	{ "dynamic ends, word", { STORE("77"), LOW_POWER, STORE("balance_power") },
	  191, "balance_power", 191, true },
	{ "dynamic ends, enter", { STORE("77"), LOW_POWER, STEP(PERFORMANCE) },
	  0, "performance", 77, false },
	{ "dynamic ends, enter, leave",
	  { STORE("77"), LOW_POWER, STEP(PERFORMANCE), STEP(POWERSAVE) },
	  77, "77", 77, true },

	/* Failures */
	{ "store fails", { STORE("77"), STEP(FAIL), STORE("power", FAILS(EIO)) },
	  77, "77", 77, true },
	{ "store of 0 fails", { STORE("77"), STEP(FAIL), STORE("0", FAILS(EIO)) },
	  77, "77", 77, true },
	{ "store works again",
	  { STORE("77"), STEP(FAIL), STORE("power", FAILS(EIO)), STEP(WORK), STORE("power") },
	  255, "power", 255, true },
	{ "enter fails", { STORE("77"), STEP(FAIL), STEP(PERFORMANCE, FAILS(EIO)) },
	  77, "77", 77, true },
	{ "enter works again",
	  { STORE("77"), STEP(FAIL), STEP(PERFORMANCE, FAILS(EIO)), STEP(WORK),
	    STEP(PERFORMANCE) },
	  0, "performance", 77, false },
	{ "enter fails after EPP",
	  { STORE("77"), STEP(FAIL_LIMITS), STEP(PERFORMANCE, FAILS(EIO)) },
	  77, "77", 77, true },
	{ "enter fails after EPP, limits change",
	  { STORE("77"), STEP(FAIL_LIMITS), STEP(PERFORMANCE, FAILS(EIO)), STEP(WORK),
	    STEP(POWERSAVE) },
	  77, "77", 77, true },
	{ "leave fails after EPP",
	  { STORE("77"), STEP(PERFORMANCE), STEP(FAIL_LIMITS), STEP(POWERSAVE, FAILS(EIO)) },
	  0, "performance", 77, false },
	{ "leave fails",
	  { STORE("77"), STEP(PERFORMANCE), STEP(FAIL), STEP(POWERSAVE, FAILS(EIO)) },
	  0, "performance", 77, false },
	{ "leave works again",
	  { STORE("77"), STEP(PERFORMANCE), STEP(FAIL), STEP(POWERSAVE, FAILS(EIO)),
	    STEP(WORK), STEP(POWERSAVE) },
	  77, "77", 77, true },
	{ "dynamic stays if another value fails",
	  { STORE("77"), LOW_POWER, STEP(FAIL), STORE("1", FAILS(EIO)) },
	  255, "dynamic(profile:power)", 77, true },
	{ "dynamic stays if enter fails",
	  { STORE("77"), LOW_POWER, STEP(FAIL), STEP(PERFORMANCE, FAILS(EIO)) },
	  255, "dynamic(profile:power)", 77, true },
};

KUNIT_ARRAY_PARAM_DESC(amd_epp, amd_epp_cases, name);

/* What turning on dynamic EPP comes down to, without registering anything. */
static int amd_epp_test_dynamic(struct amd_epp_test *t, enum platform_profile_option profile)
{
	int ret;

	scoped_guard(mutex, &t->cpudata.epp_lock) {
		ret = amd_pstate_apply_platform_profile(&t->policy, profile);
		if (ret)
			return ret;

		t->cpudata.current_profile = profile;
		t->cpudata.dynamic_epp = true;
	}
	amd_pstate_epp_changed(&t->policy);

	return 0;
}

static void amd_epp_test_transitions(struct kunit *test)
{
	const struct amd_epp_case *c = test->param_value;
	struct amd_epp_test *t = test->priv;
	unsigned int i;

	for (i = 0; c->steps[i].step != END || c->steps[i].store; i++) {
		int ret = 0;

		switch (c->steps[i].step) {
		case END:
			ret = amd_epp_test_store(t, c->steps[i].store);
			break;
		case POWERSAVE:
			ret = amd_epp_test_set_policy(t, CPUFREQ_POLICY_POWERSAVE);
			break;
		case PERFORMANCE:
			ret = amd_epp_test_set_policy(t, CPUFREQ_POLICY_PERFORMANCE);
			break;
		case DYNAMIC:
			ret = amd_epp_test_dynamic(t, c->steps[i].profile);
			break;
		case FAIL:
			t->fail = true;
			break;
		case FAIL_LIMITS:
			t->fail_limits = true;
			break;
		case WORK:
			t->fail = false;
			t->fail_limits = false;
			break;
		}
		KUNIT_EXPECT_EQ_MSG(test, ret, c->steps[i].ret, "step %u", i);
		/* At any time, the driver and EAS know what is in effect. */
		KUNIT_EXPECT_EQ_MSG(test, amd_pstate_cached_epp(&t->cpudata), t->epp,
				    "step %u", i);
		KUNIT_EXPECT_EQ_MSG(test, t->policy.eas_epp_veto, !t->epp, "step %u", i);
		KUNIT_EXPECT_EQ_MSG(test, t->policy.eas_epp, t->epp, "step %u", i);
	}

	KUNIT_EXPECT_EQ(test, t->epp, c->epp);
	KUNIT_EXPECT_STREQ(test, amd_epp_test_show(t), c->shown);
	KUNIT_EXPECT_EQ(test, t->cpudata.epp_user, c->user);
	KUNIT_EXPECT_EQ(test, t->policy.eas_governor && !t->policy.eas_epp_veto, c->compatible);
}

/* What is shown can be written, and means the same. */
static void amd_epp_test_round_trip(struct kunit *test)
{
	struct amd_epp_test *t = test->priv;
	char value[32];
	unsigned int i;

	for (i = 0; i <= U8_MAX; i++) {
		snprintf(value, sizeof(value), "%u", i);
		KUNIT_ASSERT_EQ(test, amd_epp_test_store(t, value), 0);
		KUNIT_EXPECT_STREQ(test, amd_epp_test_show(t), value);
		KUNIT_EXPECT_EQ(test, t->epp, i);
		KUNIT_EXPECT_EQ(test, amd_epp_test_store(t, t->buf), 0);
		KUNIT_EXPECT_EQ(test, t->epp, i);
	}

	/* The firmware may have programmed anything. */
	for (i = 0; i <= U8_MAX; i++) {
		t->cpudata.epp_default_dc = i;
		KUNIT_ASSERT_EQ(test, amd_epp_test_store(t, "default"), 0);
		KUNIT_EXPECT_EQ(test, t->epp, i);
		strscpy(value, amd_epp_test_show(t));
		KUNIT_ASSERT_EQ(test, amd_epp_test_store(t, "1"), 0);
		KUNIT_EXPECT_EQ_MSG(test, amd_epp_test_store(t, value), 0, "%s", value);
		KUNIT_EXPECT_EQ_MSG(test, t->epp, i, "%s", value);
	}
}

/* The limits go with the policy. */
static void amd_epp_test_limits(struct kunit *test)
{
	struct amd_epp_test *t = test->priv;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, amd_epp_test_set_policy(t, CPUFREQ_POLICY_PERFORMANCE), 0);
		KUNIT_EXPECT_EQ(test, t->min_perf, TEST_NOMINAL);
		KUNIT_EXPECT_EQ(test, t->max_perf, TEST_HIGHEST);

		KUNIT_ASSERT_EQ(test, amd_epp_test_set_policy(t, CPUFREQ_POLICY_POWERSAVE), 0);
		KUNIT_EXPECT_EQ(test, t->min_perf, TEST_NONLINEAR);
		KUNIT_EXPECT_EQ(test, t->max_perf, TEST_HIGHEST);
	}

	/* The firmware wants something else. */
	t->cpudata.perf.bios_min_perf = TEST_LOWEST;
	KUNIT_ASSERT_EQ(test, amd_epp_test_set_policy(t, CPUFREQ_POLICY_PERFORMANCE), 0);
	KUNIT_EXPECT_EQ(test, t->min_perf, TEST_LOWEST);
}

/* There are programs writing the same value over and over again. */
static void amd_epp_test_no_change(struct kunit *test)
{
	struct amd_epp_test *t = test->priv;
	unsigned int updates, writes, i;

	KUNIT_ASSERT_EQ(test, amd_epp_test_store(t, "77"), 0);
	KUNIT_ASSERT_EQ(test, t->updates, 1);
	updates = t->updates;
	writes = t->writes;

	for (i = 0; i < 3; i++)
		KUNIT_ASSERT_EQ(test, amd_epp_test_store(t, "77"), 0);

	KUNIT_EXPECT_EQ(test, t->updates, updates);
	KUNIT_EXPECT_EQ(test, t->writes, writes);

	KUNIT_ASSERT_EQ(test, amd_epp_test_set_policy(t, CPUFREQ_POLICY_PERFORMANCE), 0);
	updates = t->updates;
	writes = t->writes;

	for (i = 0; i < 3; i++) {
		KUNIT_ASSERT_EQ(test, amd_epp_test_store(t, "performance"), 0);
		KUNIT_ASSERT_EQ(test, amd_epp_test_store(t, "power"), -EBUSY);
	}

	KUNIT_EXPECT_EQ(test, t->updates, updates);
	KUNIT_EXPECT_EQ(test, t->writes, writes);
}

static struct kunit_case amd_epp_test_cases[] = {
	KUNIT_CASE_PARAM(amd_epp_test_transitions, amd_epp_gen_params),
	KUNIT_CASE(amd_epp_test_round_trip),
	KUNIT_CASE(amd_epp_test_limits),
	KUNIT_CASE(amd_epp_test_no_change),
	{}
};

static struct kunit_suite amd_epp_test_suite = {
	.name = "amd_pstate_epp",
	.init = amd_epp_test_init,
	.test_cases = amd_epp_test_cases,
};

kunit_test_suite(amd_epp_test_suite);

#endif /* _AMD_PSTATE_KUNIT_H */

#endif /* CONFIG_X86_AMD_PSTATE_KUNIT_TEST */
