/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables for people and as CSV, from the same cells.
 */
#ifndef CPUFREQ_EAS_TABLE_H
#define CPUFREQ_EAS_TABLE_H

#include <stdio.h>

struct table;

/* table_new() - headings, up to NULL. Those that begin with '>' are for columns of numbers. */
struct table *table_new(const char *heading, ...) __attribute__((sentinel));
void table_free(struct table *table);

/* The next cell, row by row. "" or NULL is an unavailable one, printed as "-". */
void table_cell(struct table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A number with that many digits after the point. NaN is unavailable. */
void table_number(struct table *table, double value, int digits);

void table_print(const struct table *table, FILE *to);

/* RFC 4180; unavailable cells are empty. */
void table_print_csv(const struct table *table, FILE *to);

#endif
