// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table, as text and as CSV, and the picture.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "eas-ramp.h"
#include "plot.h"
#include "stats.h"
#include "table.h"
#include "util.h"

/* Median and spread of a figure over all runs */
struct figure {
	double median, spread;
};

static struct figure figure(const struct row *row, int n, size_t offset)
{
	double *values = ramp_pick(row->runs, n, offset);
	struct figure f = { stats_median(values, n), stats_spread(values, n) };

	free(values);

	return f;
}

static size_t share_offset(int window)
{
	return offsetof(struct ramp, share) + window * sizeof(double);
}

static void cell(struct table *table, struct figure f, int digits)
{
	if (isnan(f.median))
		table_cell(table, "%s", "");
	else if (isnan(f.spread))
		table_cell(table, "%.*f", digits, f.median);
	else
		table_cell(table, "%.*f +-%.*f", digits, f.median, digits, f.spread);
}

void report_table(const struct row *rows, int nr_rows, int nr_runs, enum source source, FILE *to)
{
	bool cycles = source == CYCLES;
	struct table *table;
	int i, w;

	table = table_new("", ">5 ms", ">10", ">20", ">50", ">100", ">500", ">1000 ms",
			  ">ms to 95 %", cycles ? ">MHz" : ">Mops/s", ">W",
			  cycles ? ">J/Gcycle" : ">J/Gop", NULL);
	for (i = 0; i < nr_rows; i++) {
		const struct row *row = &rows[i];

		table_cell(table, "%s, %s:", row->core, row->config);
		for (w = 0; w < NR_WINDOWS; w++)
			table_number(table, figure(row, nr_runs, share_offset(w)).median, 0);
		cell(table, figure(row, nr_runs, offsetof(struct ramp, up_ms)), 1);
		cell(table, figure(row, nr_runs, offsetof(struct ramp, steady)), 0);
		cell(table, figure(row, nr_runs, offsetof(struct ramp, watts)), 1);
		cell(table, figure(row, nr_runs, offsetof(struct ramp, joules)), 2);
	}
	table_print(table, to);
	table_free(table);

	fprintf(to, "\nThroughput in the first 5 to 1000 ms in %% of the steady state%s.\n",
		cycles ? ", in cycles (APERF)" : "");
	if (nr_runs > 1)
		fprintf(to, "Medians of %d runs; +- is half of the distance between the quartiles.\n",
			nr_runs);
}

static void two_numbers(struct table *table, struct figure f)
{
	table_number(table, f.median, 4);
	table_number(table, f.spread, 4);
}

void report_csv(const struct row *rows, int nr_rows, int nr_runs, enum source source, FILE *to)
{
	struct table *table;
	int i, w;

	table = table_new("core", "configuration", "source", ">runs",
			  ">share_5ms", ">share_5ms_spread", ">share_10ms", ">share_10ms_spread",
			  ">share_20ms", ">share_20ms_spread", ">share_50ms", ">share_50ms_spread",
			  ">share_100ms", ">share_100ms_spread",
			  ">share_500ms", ">share_500ms_spread",
			  ">share_1000ms", ">share_1000ms_spread",
			  ">ms_to_95", ">ms_to_95_spread", ">steady_mega", ">steady_mega_spread",
			  ">watts", ">watts_spread", ">joules_giga", ">joules_giga_spread", NULL);
	for (i = 0; i < nr_rows; i++) {
		const struct row *row = &rows[i];

		table_cell(table, "%s", row->core);
		table_cell(table, "%s", row->config);
		table_cell(table, "%s", source == CYCLES ? "cycles" : "iterations");
		table_number(table, nr_runs, 0);
		for (w = 0; w < NR_WINDOWS; w++)
			two_numbers(table, figure(row, nr_runs, share_offset(w)));
		two_numbers(table, figure(row, nr_runs, offsetof(struct ramp, up_ms)));
		two_numbers(table, figure(row, nr_runs, offsetof(struct ramp, steady)));
		two_numbers(table, figure(row, nr_runs, offsetof(struct ramp, watts)));
		two_numbers(table, figure(row, nr_runs, offsetof(struct ramp, joules)));
	}
	table_print_csv(table, to);
	table_free(table);
}

/* A panel for each core, a line for each configuration. Rows of a core follow each other. */
static void panel(FILE *plot, const struct row *rows, int nr_rows, int nr_runs)
{
	char *name = plot_quote(rows->core);
	int i, p;

	fprintf(plot, "set title %s\nplot", name);
	free(name);
	for (i = 0; i < nr_rows; i++) {
		name = plot_quote(rows[i].config);
		fprintf(plot, "%s '-' with lines lt %d title %s", i ? "," : "", i + 1, name);
		free(name);
	}
	fputc('\n', plot);
	for (i = 0; i < nr_rows; i++) {
		for (p = 0; p < NR_POINTS; p++) {
			double y = figure(&rows[i], nr_runs, offsetof(struct ramp, curve) +
					  p * sizeof(double)).median;

			if (!isnan(y))
				fprintf(plot, "%g %g\n", ramp_curve_time(p), y);
		}
		fputs("e\n", plot);
	}
}

static int same_core(const struct row *rows, int nr_rows)
{
	int n;

	for (n = 1; n < nr_rows && !strcmp(rows[n].core, rows->core); n++)
		;

	return n;
}

const char *report_svg(const struct row *rows, int nr_rows, int nr_runs, const char *path)
{
	const char *why;
	FILE *plot = plot_begin(path, 900, 540, &why);
	int panels = 0, i;

	if (!plot)
		return why;

	for (i = 0; i < nr_rows; i += same_core(rows + i, nr_rows - i))
		panels++;
	fprintf(plot,
		"set logscale x\nset xrange [0.5:1000]\nset yrange [0:110]\n"
		"set xtics (1, 3, 10, 30, 100, 300, 1000)\n"
		"set xlabel 'ms since the start'\nset ylabel 'throughput, %% of the steady state'\n"
		"set key below center vertical maxcols 1 Left reverse samplen 2\n"
		"set multiplot layout 1,%d\n", panels);
	for (i = 0; i < nr_rows; i += same_core(rows + i, nr_rows - i))
		panel(plot, rows + i, same_core(rows + i, nr_rows - i), nr_runs);
	fputs("unset multiplot\n", plot);

	return plot_end(plot);
}
