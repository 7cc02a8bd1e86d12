/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KUnit tests of the energy performance preference (EPP) handling in
 * intel_pstate.
 *
 * They operate on struct cpudata objects of their own and the register is
 * a variable, so they have no effect on the system, but the processor needs to
 * support EPP for the code under test to do anything.
 */

#ifdef CONFIG_X86_INTEL_PSTATE_KUNIT_TEST

#ifndef _INTEL_PSTATE_KUNIT_H
#define _INTEL_PSTATE_KUNIT_H

#include <kunit/test.h>

struct intel_epp_test {
	struct cpudata cpu;
	u64 reg;
	unsigned int reads;
	unsigned int writes;
	bool fail_reads;
	bool fail_writes;
};

static struct intel_epp_test *intel_epp_test_of(struct cpudata *cpu)
{
	return container_of(cpu, struct intel_epp_test, cpu);
}

static int intel_epp_test_read(struct cpudata *cpu, u64 *value)
{
	struct intel_epp_test *t = intel_epp_test_of(cpu);

	t->reads++;
	if (t->fail_reads) {
		*value = 0;
		return -EIO;
	}

	*value = t->reg;

	return 0;
}

static int intel_epp_test_write(struct cpudata *cpu, u64 value)
{
	struct intel_epp_test *t = intel_epp_test_of(cpu);

	t->writes++;
	if (t->fail_writes)
		return -EIO;

	t->reg = value;

	return 0;
}

/* Values that depend on the processor. */
#define TEST_PERF	(-1)	/* what "performance" stands for */
#define TEST_ABOVE	(-2)	/* the first value preferring performance less */
/* Something that the driver does not touch. */
#define TEST_ACTIVITY	0x123ULL

static u8 intel_epp_test_value(s16 value)
{
	switch (value) {
	case TEST_PERF:
		return epp_values[EPP_INDEX_PERFORMANCE];
	case TEST_ABOVE:
		return epp_values[EPP_INDEX_PERFORMANCE] + 1;
	}

	return value;
}

static u8 intel_epp_test_reg(struct intel_epp_test *t)
{
	return FIELD_GET(GENMASK_ULL(31, 24), t->reg);
}

static void intel_epp_test_set_reg(struct intel_epp_test *t, s16 value)
{
	t->reg &= ~GENMASK_ULL(31, 24);
	t->reg |= FIELD_PREP(GENMASK_ULL(31, 24), intel_epp_test_value(value));
}

static int intel_epp_test_init(struct kunit *test)
{
	struct intel_epp_test *t;

	if (!boot_cpu_has(X86_FEATURE_HWP_EPP) || !hwp_active)
		kunit_skip(test, "HWP with EPP is not in use");

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);

	t->cpu.policy = CPUFREQ_POLICY_POWERSAVE;
	t->cpu.min_perf_ratio = 4;
	t->cpu.max_perf_ratio = 40;
	t->reg = TEST_ACTIVITY << 32;

	test->priv = t;
	kunit_activate_static_stub(test, intel_pstate_read_hwp_req,
				   intel_epp_test_read);
	kunit_activate_static_stub(test, intel_pstate_write_hwp_req,
				   intel_epp_test_write);

	return 0;
}

enum intel_epp_step {
	END,
	POWERSAVE,		/* the algorithm is selected ... */
	PERFORMANCE,
	REQUEST,		/* ... or EPP requested by user space */
	BEHIND,			/* the register changes behind the driver's back */
	FAIL_READS,		/* reading the register fails from now on ... */
	FAIL_WRITES,		/* ... or writing it does ... */
	WORK,			/* ... or both work again */
};

struct intel_epp_case {
	const char *name;
	struct {
		enum intel_epp_step step;
		s16 arg;
		int ret;
	} steps[8];
	/* What is expected in the end: in the register and saved. */
	s16 reg, user;
	bool forced;
};

static const struct intel_epp_case intel_epp_cases[] = {
	/* Without the "performance" algorithm. */
	{ "request", { { REQUEST, 128 } }, 128, 128, false },
	{ "request 0", { { REQUEST, 0 } }, 0, 0, false },
	{ "request 255", { { REQUEST, 255 } }, 255, 255, false },
	{ "request performance", { { REQUEST, TEST_PERF } },
	  TEST_PERF, TEST_PERF, false },
	{ "request twice", { { REQUEST, 128 }, { REQUEST, 77 } }, 77, 77, false },
	{ "limits change", { { REQUEST, 77 }, { POWERSAVE } }, 77, 77, false },
	{ "changed behind", { { REQUEST, 77 }, { BEHIND, 100 }, { POWERSAVE } },
	  100, 100, false },
	{ "changed behind to 0", { { REQUEST, 77 }, { BEHIND, 0 }, { POWERSAVE } },
	  0, 0, false },

	/* Entering it. */
	{ "enter", { { REQUEST, 128 }, { PERFORMANCE } }, 0, 128, true },
	{ "enter with 0", { { REQUEST, 0 }, { PERFORMANCE } }, 0, 0, true },
	{ "enter with performance", { { REQUEST, TEST_PERF }, { PERFORMANCE } },
	  0, TEST_PERF, true },
	{ "enter, changed behind", { { REQUEST, 128 }, { BEHIND, 100 }, { PERFORMANCE } },
	  0, 100, true },
	{ "enter twice", { { REQUEST, 128 }, { PERFORMANCE }, { PERFORMANCE } },
	  0, 128, true },

	/* While it is in use. */
	{ "write performance",
	  { { REQUEST, 128 }, { PERFORMANCE }, { REQUEST, TEST_PERF } },
	  0, TEST_PERF, true },
	{ "write 0", { { REQUEST, 128 }, { PERFORMANCE }, { REQUEST, 0 } }, 0, 0, true },
	{ "write too much",
	  { { REQUEST, 128 }, { PERFORMANCE }, { REQUEST, TEST_ABOVE, -EBUSY } },
	  0, 128, true },
	{ "write 255", { { REQUEST, 128 }, { PERFORMANCE }, { REQUEST, 255, -EBUSY } },
	  0, 128, true },
	{ "write the same", { { REQUEST, 128 }, { PERFORMANCE }, { REQUEST, 128, -EBUSY } },
	  0, 128, true },
	{ "write performance, changed behind",
	  { { REQUEST, 128 }, { PERFORMANCE }, { BEHIND, 100 }, { REQUEST, TEST_PERF } },
	  0, TEST_PERF, true },
	{ "limits change, changed behind",
	  { { REQUEST, 128 }, { PERFORMANCE }, { BEHIND, 100 }, { PERFORMANCE } },
	  100, 128, true },

	/* Leaving it. */
	{ "leave", { { REQUEST, 128 }, { PERFORMANCE }, { POWERSAVE } }, 128, 128, false },
	{ "leave with 0", { { REQUEST, 0 }, { PERFORMANCE }, { POWERSAVE } }, 0, 0, false },
	{ "leave with performance",
	  { { REQUEST, TEST_PERF }, { PERFORMANCE }, { POWERSAVE } },
	  TEST_PERF, TEST_PERF, false },
	{ "leave, performance written",
	  { { REQUEST, 128 }, { PERFORMANCE }, { REQUEST, TEST_PERF }, { POWERSAVE } },
	  TEST_PERF, TEST_PERF, false },
	{ "leave, 0 written",
	  { { REQUEST, 128 }, { PERFORMANCE }, { REQUEST, 0 }, { POWERSAVE } },
	  0, 0, false },
	{ "leave, write refused",
	  { { REQUEST, 128 }, { PERFORMANCE }, { REQUEST, 255, -EBUSY }, { POWERSAVE } },
	  128, 128, false },
	{ "leave, changed behind",
	  { { REQUEST, 128 }, { PERFORMANCE }, { BEHIND, 100 }, { POWERSAVE } },
	  100, 100, false },
	{ "leave, performance written, then changed behind",
	  { { REQUEST, 128 }, { PERFORMANCE }, { REQUEST, TEST_PERF }, { BEHIND, 100 },
	    { POWERSAVE } },
	  100, 100, false },
	{ "leave twice",
	  { { REQUEST, 128 }, { PERFORMANCE }, { POWERSAVE }, { REQUEST, 77 },
	    { PERFORMANCE }, { POWERSAVE } },
	  77, 77, false },

	/* Failures. */
	{ "request fails", { { REQUEST, 128 }, { FAIL_WRITES }, { REQUEST, 77, -EIO } },
	  128, 128, false },
	{ "request works again",
	  { { REQUEST, 128 }, { FAIL_WRITES }, { REQUEST, 77, -EIO }, { WORK },
	    { REQUEST, 77 } },
	  77, 77, false },
	{ "enter, read fails", { { REQUEST, 128 }, { FAIL_READS }, { PERFORMANCE, 0, -EIO } },
	  128, 128, false },
	{ "enter, write fails", { { REQUEST, 128 }, { FAIL_WRITES }, { PERFORMANCE, 0, -EIO } },
	  128, 128, false },
	{ "enter works again",
	  { { REQUEST, 128 }, { FAIL_WRITES }, { PERFORMANCE, 0, -EIO }, { WORK },
	    { PERFORMANCE }, { POWERSAVE } },
	  128, 128, false },
	{ "leave, read fails",
	  { { REQUEST, 128 }, { PERFORMANCE }, { FAIL_READS }, { POWERSAVE, 0, -EIO } },
	  0, 128, true },
	{ "leave, write fails",
	  { { REQUEST, 128 }, { PERFORMANCE }, { FAIL_WRITES }, { POWERSAVE, 0, -EIO } },
	  0, 128, true },
	{ "leave works again",
	  { { REQUEST, 128 }, { PERFORMANCE }, { FAIL_WRITES }, { POWERSAVE, 0, -EIO },
	    { WORK }, { POWERSAVE } },
	  128, 128, false },
	{ "write performance fails",
	  { { REQUEST, 128 }, { PERFORMANCE }, { FAIL_WRITES }, { REQUEST, TEST_PERF, -EIO } },
	  0, 128, true },
};

KUNIT_ARRAY_PARAM_DESC(intel_epp, intel_epp_cases, name);

static int intel_epp_test_set_policy(struct intel_epp_test *t, unsigned int policy)
{
	unsigned int old_policy = t->cpu.policy;
	int ret;

	/* This is what intel_pstate_set_policy() does. */
	t->cpu.policy = policy;
	ret = intel_pstate_hwp_set(&t->cpu);
	if (ret)
		t->cpu.policy = old_policy;

	return ret;
}

static void intel_epp_test_transitions(struct kunit *test)
{
	const struct intel_epp_case *c = test->param_value;
	struct intel_epp_test *t = test->priv;
	unsigned int i;

	for (i = 0; c->steps[i].step != END; i++) {
		s16 arg = c->steps[i].arg;
		int ret = 0;

		switch (c->steps[i].step) {
		case POWERSAVE:
			ret = intel_epp_test_set_policy(t, CPUFREQ_POLICY_POWERSAVE);
			break;
		case PERFORMANCE:
			ret = intel_epp_test_set_policy(t, CPUFREQ_POLICY_PERFORMANCE);
			break;
		case REQUEST:
			ret = intel_pstate_request_epp(&t->cpu, intel_epp_test_value(arg));
			break;
		case BEHIND:
			intel_epp_test_set_reg(t, arg);
			break;
		case FAIL_READS:
			t->fail_reads = true;
			break;
		case FAIL_WRITES:
			t->fail_writes = true;
			break;
		default:
			t->fail_reads = false;
			t->fail_writes = false;
			break;
		}
		KUNIT_EXPECT_EQ_MSG(test, ret, c->steps[i].ret, "step %u", i);
	}

	KUNIT_EXPECT_EQ(test, intel_epp_test_reg(t), intel_epp_test_value(c->reg));
	KUNIT_EXPECT_EQ(test, t->cpu.epp_cached, intel_epp_test_value(c->user));
	KUNIT_EXPECT_EQ(test, t->cpu.epp_forced, c->forced);
	/* The cached value must match the hardware and nothing else may change. */
	KUNIT_EXPECT_EQ(test, FIELD_GET(GENMASK_ULL(31, 24), t->cpu.hwp_req_cached),
			intel_epp_test_reg(t));
}

/* The veto starts at what "performance" stands for. */
static void intel_epp_test_veto(struct kunit *test)
{
	struct intel_epp_test *t = test->priv;
	unsigned int epp;

	for (epp = 0; epp <= U8_MAX; epp++) {
		KUNIT_ASSERT_EQ(test, intel_pstate_request_epp(&t->cpu, epp), 0);
		KUNIT_EXPECT_EQ_MSG(test, intel_pstate_epp_veto(&t->cpu),
				    epp <= epp_values[EPP_INDEX_PERFORMANCE],
				    "EPP %u", epp);
	}
}

/* The veto follows EPP in effect, not EPP asked for. */
static void intel_epp_test_veto_forced(struct kunit *test)
{
	struct intel_epp_test *t = test->priv;

	KUNIT_ASSERT_EQ(test, intel_pstate_request_epp(&t->cpu, 128), 0);
	KUNIT_EXPECT_FALSE(test, intel_pstate_epp_veto(&t->cpu));

	KUNIT_ASSERT_EQ(test, intel_epp_test_set_policy(t, CPUFREQ_POLICY_PERFORMANCE), 0);
	KUNIT_EXPECT_TRUE(test, intel_pstate_epp_veto(&t->cpu));

	KUNIT_ASSERT_EQ(test, intel_epp_test_set_policy(t, CPUFREQ_POLICY_POWERSAVE), 0);
	KUNIT_EXPECT_FALSE(test, intel_pstate_epp_veto(&t->cpu));

	/* A write that has failed does not count. */
	t->fail_writes = true;
	KUNIT_EXPECT_EQ(test, intel_pstate_request_epp(&t->cpu, 0), -EIO);
	KUNIT_EXPECT_FALSE(test, intel_pstate_epp_veto(&t->cpu));
}

/* The register is accessed as many times as it used to be. */
static void intel_epp_test_cost(struct kunit *test)
{
	struct intel_epp_test *t = test->priv;

	KUNIT_ASSERT_EQ(test, intel_pstate_request_epp(&t->cpu, 128), 0);
	KUNIT_EXPECT_EQ(test, t->reads, 0);
	KUNIT_EXPECT_EQ(test, t->writes, 1);

	KUNIT_ASSERT_EQ(test, intel_epp_test_set_policy(t, CPUFREQ_POLICY_PERFORMANCE), 0);
	KUNIT_EXPECT_EQ(test, t->reads, 1);
	KUNIT_EXPECT_EQ(test, t->writes, 2);

	KUNIT_ASSERT_EQ(test, intel_pstate_request_epp(&t->cpu, 0), 0);
	KUNIT_EXPECT_EQ(test, t->reads, 1);
	KUNIT_EXPECT_EQ(test, t->writes, 3);

	KUNIT_EXPECT_EQ(test, intel_pstate_request_epp(&t->cpu, 255), -EBUSY);
	KUNIT_EXPECT_EQ(test, t->reads, 1);
	KUNIT_EXPECT_EQ(test, t->writes, 3);
}

/* Only the fields concerned change. */
static void intel_epp_test_fields(struct kunit *test)
{
	struct intel_epp_test *t = test->priv;

	KUNIT_ASSERT_EQ(test, intel_epp_test_set_policy(t, CPUFREQ_POLICY_PERFORMANCE), 0);
	KUNIT_EXPECT_EQ(test, t->reg, TEST_ACTIVITY << 32 | HWP_MAX_PERF(40) | HWP_MIN_PERF(40));

	KUNIT_ASSERT_EQ(test, intel_pstate_request_epp(&t->cpu, 0), 0);
	KUNIT_EXPECT_EQ(test, t->reg, TEST_ACTIVITY << 32 | HWP_MAX_PERF(40) | HWP_MIN_PERF(40));

	KUNIT_ASSERT_EQ(test, intel_epp_test_set_policy(t, CPUFREQ_POLICY_POWERSAVE), 0);
	KUNIT_EXPECT_EQ(test, t->reg, TEST_ACTIVITY << 32 | HWP_MAX_PERF(40) | HWP_MIN_PERF(4));
}

static struct kunit_case intel_epp_test_cases[] = {
	KUNIT_CASE_PARAM(intel_epp_test_transitions, intel_epp_gen_params),
	KUNIT_CASE(intel_epp_test_veto),
	KUNIT_CASE(intel_epp_test_veto_forced),
	KUNIT_CASE(intel_epp_test_cost),
	KUNIT_CASE(intel_epp_test_fields),
	{}
};

static struct kunit_suite intel_epp_test_suite = {
	.name = "intel_pstate_epp",
	.init = intel_epp_test_init,
	.test_cases = intel_epp_test_cases,
};

kunit_test_suite(intel_epp_test_suite);

#endif /* _INTEL_PSTATE_KUNIT_H */

#endif /* CONFIG_X86_INTEL_PSTATE_KUNIT_TEST */
