# SPDX-License-Identifier: GPL-2.0-only
#
# EPP-aware EAS gating for Linux cpufreq: see README.md, or 'make help'.

BASE   ?= 7.3
KERNEL ?= patched
export BASE KERNEL KSRC T FORCE V BOOT STEPS SEED ROUND VARIANTS MACHINES

.DEFAULT_GOAL := help

help: ## show this text
	@echo "Targets:"
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | \
		awk -F '|' '{ printf "%-16s %s\n", $$1, $$2 }'
	@echo "Variables:"
	@echo "  KSRC=/path      use this kernel tree (it is copied) in place of Debian's"
	@echo "  KERNEL=plain    for kernel, check and others: without the series"
	@echo "  T=name          for check: only run this one, T=list lists them"
	@echo "  FORCE=1         for tree: throw away what is not in patches/"
	@echo "  BASE=7.3        base to work on"

deps: ## install the Debian packages that are missing
	@scripts/deps.sh

fetch: deps ## get the base kernel
	@scripts/fetch.sh

tree: deps ## make the tree to edit the series in, build/BASE/linux
	@scripts/tree.sh

series: deps ## write patches/BASE from that tree and the files here
	@scripts/series.sh

sources: deps ## write the files here from patches/BASE
	@scripts/sources.sh

check-series: deps ## check that patches apply and match the files here
	@scripts/check-series.sh

dist: deps ## make a tarball of the series, with recipes, in build/dist
	@scripts/dist.sh

check-recipes: deps ## check that tarball and the recipes for distributions
	@scripts/check-recipes.sh

kernel: deps ## build the test kernel
	@+scripts/kernel.sh

print-kernel: ## print the path of the test kernel
	@scripts/kernel.sh print

demo: kernel ## watch EAS follow the governor and EPP
	@tools/testing/vhybrid/demo

# Libraries that they use, and what draws pictures
tools_need = pkg-config libcpupower-dev libtracefs-dev libtraceevent-dev libjansson-dev \
	libnl-genl-3-dev gnuplot-nox

tools: deps ## build eas-status, eas-ramp and eas-sweep, in build/tools
	@scripts/deps.sh $(tools_need)
	@$(MAKE) -s -C tools/power/cpufreq-eas

install-tools: tools ## install them (prefix=/usr/local, DESTDIR)
	@$(MAKE) -s -C tools/power/cpufreq-eas install

demo-ramp: kernel tools ## see how fast CPUs get up to speed, with eas-ramp
	@tools/testing/vhybrid/demo-ramp

check: kernel tools ## run the tests
	@scripts/check.sh

check-all: kernel tools ## ... and the tools on all machines (half an hour more)
	@scripts/check.sh all

bisect: deps ## build every patch of the series (BOOT=1: boot and test each, an hour)
	@+scripts/bisect.sh

soak: kernel ## take many random steps on all machines (STEPS=20000 on each)
	@scripts/soak.sh

sanitize: deps ## races with sanitizers and PREEMPT_RT (ROUND=100 seconds each)
	@+scripts/sanitize.sh

bench: ## measure the series against the plain kernel (20 minutes)
	@scripts/deps.sh gnuplot-nox
	@+scripts/bench.sh

clean: ## remove everything generated but the base kernel
	@rm -rf build/check build/bench build/dist build/tools build/*/src-* build/*/kernel-* build/*/tmp.*

distclean: ## remove everything generated
	@rm -rf build

.PHONY: help deps fetch tree series sources check-series kernel print-kernel demo tools install-tools demo-ramp \
	check check-all bisect dist check-recipes soak sanitize bench clean distclean
