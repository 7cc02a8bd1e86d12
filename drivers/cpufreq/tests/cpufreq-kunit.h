/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KUnit tests of the EAS compatibility tracking in the cpufreq core.
 *
 * They operate on policies of their own which are not registered anywhere, so
 * they can run no matter what cpufreq driver is in use.
 */

#ifdef CONFIG_CPU_FREQ_KUNIT_TEST

#ifndef _CPUFREQ_KUNIT_H
#define _CPUFREQ_KUNIT_H

#include <kunit/test.h>

struct cpufreq_eas_test {
	struct cpufreq_policy policy;
	struct cpumask cpus;
	/* What the fake driver callback reports. */
	bool drv_governor;
	bool drv_veto;
	/* How many times that callback has been invoked. */
	unsigned int updates;
	/* How many times the scheduler has been told about a change. */
	unsigned int requests;
};

static struct cpufreq_eas_test *cpufreq_eas_test_of(struct cpufreq_policy *policy)
{
	return container_of(policy, struct cpufreq_eas_test, policy);
}

static void cpufreq_eas_test_changed(struct cpufreq_policy *policy)
{
	lockdep_assert_held(&policy->eas_lock);

	cpufreq_eas_test_of(policy)->requests++;
}

/* A driver providing ->target(): it only has an opinion on EPP. */
static void cpufreq_eas_test_target(struct cpufreq_policy *policy)
{
	struct cpufreq_eas_test *t = cpufreq_eas_test_of(policy);

	lockdep_assert_held(&policy->eas_lock);

	t->updates++;
	policy->eas_epp_veto = t->drv_veto;
}

/* A driver providing ->setpolicy(): it also stands for the governor. */
static void cpufreq_eas_test_setpolicy(struct cpufreq_policy *policy)
{
	policy->eas_governor = cpufreq_eas_test_of(policy)->drv_governor;
	cpufreq_eas_test_target(policy);
}

static int cpufreq_eas_test_init(struct kunit *test)
{
	struct cpufreq_eas_test *t;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);

	spin_lock_init(&t->policy.eas_lock);
#ifdef CONFIG_CPUMASK_OFFSTACK
	t->policy.cpus = &t->cpus;
#endif
	cpumask_set_cpu(0, t->policy.cpus);

	test->priv = t;
	kunit_activate_static_stub(test, cpufreq_eas_flag_changed,
				   cpufreq_eas_test_changed);

	return 0;
}

struct cpufreq_eas_case {
	const char *name;
	bool active, governor, veto, compatible;
};

static const struct cpufreq_eas_case cpufreq_eas_cases[] = {
	{ "inactive",				false, false, false, false },
	{ "inactive, veto",			false, false, true,  false },
	{ "inactive, governor",			false, true,  false, false },
	{ "inactive, governor, veto",		false, true,  true,  false },
	{ "active",				true,  false, false, false },
	{ "active, veto",			true,  false, true,  false },
	{ "active, governor",			true,  true,  false, true  },
	{ "active, governor, veto",		true,  true,  true,  false },
};

KUNIT_ARRAY_PARAM_DESC(cpufreq_eas, cpufreq_eas_cases, name);

enum cpufreq_eas_input { EAS_ACTIVE, EAS_GOVERNOR, EAS_VETO, EAS_INPUTS };

/* The six orders in which three inputs can arrive. */
static const enum cpufreq_eas_input cpufreq_eas_orders[][EAS_INPUTS] = {
	{ EAS_ACTIVE, EAS_GOVERNOR, EAS_VETO },
	{ EAS_ACTIVE, EAS_VETO, EAS_GOVERNOR },
	{ EAS_GOVERNOR, EAS_ACTIVE, EAS_VETO },
	{ EAS_GOVERNOR, EAS_VETO, EAS_ACTIVE },
	{ EAS_VETO, EAS_ACTIVE, EAS_GOVERNOR },
	{ EAS_VETO, EAS_GOVERNOR, EAS_ACTIVE },
};

static void cpufreq_eas_test_set(struct cpufreq_eas_test *t,
				 enum cpufreq_eas_input input, bool value)
{
	switch (input) {
	case EAS_ACTIVE:
		if (value)
			cpumask_set_cpu(0, t->policy.cpus);
		else
			cpumask_clear_cpu(0, t->policy.cpus);
		break;
	case EAS_GOVERNOR:
		cpufreq_eas_set_governor(&t->policy, value);
		return;
	default:
		t->drv_veto = value;
		break;
	}
	__cpufreq_update_eas_compatibility(&t->policy, cpufreq_eas_test_target);
}

/* From all combinations of inputs to all of them, in every order. */
static void cpufreq_eas_test_truth_table(struct kunit *test)
{
	const struct cpufreq_eas_case *to = test->param_value;
	struct cpufreq_eas_test *t = test->priv;
	unsigned int i, j, order, requests;

	for (i = 0; i < ARRAY_SIZE(cpufreq_eas_cases); i++) {
		const struct cpufreq_eas_case *from = &cpufreq_eas_cases[i];

		for (order = 0; order < ARRAY_SIZE(cpufreq_eas_orders); order++) {
			const enum cpufreq_eas_input *in = cpufreq_eas_orders[order];
			const bool *begin[] = { &from->active, &from->governor, &from->veto };
			const bool *end[] = { &to->active, &to->governor, &to->veto };

			for (j = 0; j < EAS_INPUTS; j++)
				cpufreq_eas_test_set(t, in[j], *begin[in[j]]);

			/*
			 * An inactive policy does not ask the driver, so a veto
			 * is picked up when it gets active.
			 */
			KUNIT_EXPECT_EQ_MSG(test, t->policy.eas_compatible,
					    from->compatible, "%s, order %u",
					    from->name, order);

			requests = t->requests;
			for (j = 0; j < EAS_INPUTS; j++)
				cpufreq_eas_test_set(t, in[j], *end[in[j]]);

			KUNIT_EXPECT_EQ_MSG(test, t->policy.eas_compatible,
					    to->compatible, "%s -> %s, order %u",
					    from->name, to->name, order);
			if (from == to)
				KUNIT_EXPECT_EQ_MSG(test, t->requests, requests,
						    "%s, order %u", to->name, order);
			else if (from->compatible != to->compatible)
				KUNIT_EXPECT_GT_MSG(test, t->requests, requests,
						    "%s -> %s, order %u",
						    from->name, to->name, order);
		}
	}
}

/* The governor starting must not lift a veto. */
static void cpufreq_eas_test_veto_then_governor(struct kunit *test)
{
	struct cpufreq_eas_test *t = test->priv;

	cpufreq_eas_test_set(t, EAS_VETO, true);
	cpufreq_eas_test_set(t, EAS_GOVERNOR, true);
	KUNIT_EXPECT_FALSE(test, t->policy.eas_compatible);
	KUNIT_EXPECT_EQ(test, t->requests, 0);

	cpufreq_eas_test_set(t, EAS_VETO, false);
	KUNIT_EXPECT_TRUE(test, t->policy.eas_compatible);
	KUNIT_EXPECT_EQ(test, t->requests, 1);
}

/* Lifting a veto must not make an unsuitable governor look like a good one. */
static void cpufreq_eas_test_unsuitable_governor(struct kunit *test)
{
	struct cpufreq_eas_test *t = test->priv;

	cpufreq_eas_test_set(t, EAS_GOVERNOR, true);
	cpufreq_eas_test_set(t, EAS_GOVERNOR, false);
	KUNIT_EXPECT_EQ(test, t->requests, 2);

	cpufreq_eas_test_set(t, EAS_VETO, true);
	cpufreq_eas_test_set(t, EAS_VETO, false);
	KUNIT_EXPECT_FALSE(test, t->policy.eas_compatible);
	KUNIT_EXPECT_EQ(test, t->requests, 2);
}

/* Requests are only made for changes. */
static void cpufreq_eas_test_no_change(struct kunit *test)
{
	struct cpufreq_eas_test *t = test->priv;
	int i;

	for (i = 0; i < 3; i++)
		cpufreq_eas_test_set(t, EAS_GOVERNOR, true);

	KUNIT_EXPECT_EQ(test, t->requests, 1);

	for (i = 0; i < 3; i++)
		cpufreq_eas_test_set(t, EAS_VETO, true);

	KUNIT_EXPECT_EQ(test, t->requests, 2);

	/* The policy is not compatible already. */
	cpufreq_eas_test_set(t, EAS_ACTIVE, false);
	cpufreq_eas_test_set(t, EAS_GOVERNOR, false);
	KUNIT_EXPECT_EQ(test, t->requests, 2);
}

/* The driver cannot be asked about a policy whose CPUs are gone. */
static void cpufreq_eas_test_inactive(struct kunit *test)
{
	struct cpufreq_eas_test *t = test->priv;

	t->drv_governor = true;
	__cpufreq_update_eas_compatibility(&t->policy, cpufreq_eas_test_setpolicy);
	KUNIT_EXPECT_EQ(test, t->updates, 1);
	KUNIT_EXPECT_TRUE(test, t->policy.eas_compatible);

	cpumask_clear(t->policy.cpus);
	__cpufreq_update_eas_compatibility(&t->policy, cpufreq_eas_test_setpolicy);
	KUNIT_EXPECT_EQ(test, t->updates, 1);
	KUNIT_EXPECT_FALSE(test, t->policy.eas_compatible);

	cpumask_set_cpu(0, t->policy.cpus);
	t->drv_veto = true;
	__cpufreq_update_eas_compatibility(&t->policy, cpufreq_eas_test_setpolicy);
	KUNIT_EXPECT_EQ(test, t->updates, 2);
	KUNIT_EXPECT_FALSE(test, t->policy.eas_compatible);
	KUNIT_EXPECT_EQ(test, t->requests, 2);
}

/* Most of drivers do not provide the callback. */
static void cpufreq_eas_test_no_callback(struct kunit *test)
{
	struct cpufreq_eas_test *t = test->priv;

	__cpufreq_update_eas_compatibility(&t->policy, NULL);
	KUNIT_EXPECT_FALSE(test, t->policy.eas_compatible);

	cpufreq_eas_set_governor(&t->policy, true);
	KUNIT_EXPECT_TRUE(test, t->policy.eas_compatible);

	__cpufreq_update_eas_compatibility(&t->policy, NULL);
	KUNIT_EXPECT_TRUE(test, t->policy.eas_compatible);

	cpumask_clear(t->policy.cpus);
	__cpufreq_update_eas_compatibility(&t->policy, NULL);
	KUNIT_EXPECT_FALSE(test, t->policy.eas_compatible);
	KUNIT_EXPECT_EQ(test, t->requests, 2);
}

static struct kunit_case cpufreq_eas_test_cases[] = {
	KUNIT_CASE_PARAM(cpufreq_eas_test_truth_table, cpufreq_eas_gen_params),
	KUNIT_CASE(cpufreq_eas_test_veto_then_governor),
	KUNIT_CASE(cpufreq_eas_test_unsuitable_governor),
	KUNIT_CASE(cpufreq_eas_test_no_change),
	KUNIT_CASE(cpufreq_eas_test_inactive),
	KUNIT_CASE(cpufreq_eas_test_no_callback),
	{}
};

static struct kunit_suite cpufreq_eas_test_suite = {
	.name = "cpufreq_eas",
	.init = cpufreq_eas_test_init,
	.test_cases = cpufreq_eas_test_cases,
};

kunit_test_suite(cpufreq_eas_test_suite);

#endif /* _CPUFREQ_KUNIT_H */

#endif /* CONFIG_CPU_FREQ_KUNIT_TEST */
