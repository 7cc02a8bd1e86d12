// SPDX-License-Identifier: GPL-2.0-only
/*
 * Results for people, and as CSV.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eas-sweep.h"
#include "table.h"
#include "util.h"

/* Bars are not longer and not shorter than that. */
#define LONGEST		60
#define SHORTEST	10

/* ---- Numbers ------------------------------------------------------------------------ */

int digits_for(double largest)
{
	int digits;

	for (digits = 3; digits > 0 && largest >= 10; largest /= 10)
		digits--;
	for (; digits >= 3 && digits < 9 && largest > 0 && largest < 1; largest *= 10)
		digits++;

	return digits;
}

static const char *const metric_names[NR_METRICS] = {
	[TIME] = "time",
	[LATENCY] = "latency, mean",
	[LATENCY_P99] = "latency of periodic tasks, 99th percentile",
	[ENERGY] = "energy of a run",
};

/* Unit, and what to multiply seconds or joules with */
static const char *metric_unit(enum metric metric, double *factor)
{
	*factor = metric == LATENCY || metric == LATENCY_P99 ? 1000 : 1;

	return metric == ENERGY ? "J" : metric == TIME ? "s" : "ms";
}

/* ---- Bars --------------------------------------------------------------------------- */

/* "failed (1 of 5)" */
static char *format_bad(const struct cell *cell)
{
	return xasprintf("%s (%d of %d)", status_names[cell->status], cell->bad,
			 cell->bad + cell->n);
}

static char *block_title(const struct sweep *sweep, const struct block *block)
{
	const struct test *test = &sweep->test[block->test];
	const char *what = metric_names[block->metric];

	if (test->load && (block->metric == TIME || block->metric == LATENCY))
		what = test->load->what;

	return xasprintf("%s: %s (less is better)", test->name, what);
}

/* Change against the reference, with a mark if it is not significant */
static void add_difference(struct line *line, double ratio, bool faint)
{
	double percent = (ratio - 1) * 100;

	line->faint = faint;
	/* No sign where no difference is to be seen */
	if (fabs(percent) < 0.05)
		line->note = xasprintf("0.0 %%%s", faint ? " ~" : "");
	else
		line->note = xasprintf("%+.1f %%%s", percent, faint ? " ~" : "");
}

static void fill_line(const struct sweep *sweep, const struct block *block, int config,
		      int reference, double largest, struct line *line)
{
	const struct cell *cell = &block->cell[config], *other = &block->cell[reference];
	double factor;
	const char *unit = metric_unit(block->metric, &factor);
	int digits = digits_for(largest);
	char *spread, *watts;

	line->value = NAN;
	if (cell->bad || isnan(cell->median)) {
		line->text = cell->bad ? format_bad(cell) : xstrdup("unavailable");
		line->note = xstrdup("");
		return;
	}

	line->value = cell->median * factor;
	spread = isnan(cell->spread) ? xstrdup("") :
		 xasprintf(" ±%.*f", digits, cell->spread * factor);
	watts = isnan(cell->watts) ? xstrdup("") : xasprintf(", %.2f W", cell->watts);
	line->text = xasprintf("%.*f%s %s%s", digits, line->value, spread, unit, watts);
	free(spread);
	free(watts);
	if (config == reference)
		line->note = xstrdup(sweep->configs > 1 ? "reference" : "");
	else if (other->bad || !(other->median > 0))
		line->note = xstrdup("");
	else
		add_difference(line, cell->median / other->median, !(cell->p < SIGNIFICANT));
}

static void fill_bars(const struct sweep *sweep, const struct block *block, int reference,
		      struct bars *bars)
{
	double largest = 0, factor;
	int c;

	metric_unit(block->metric, &factor);
	for (c = 0; c < sweep->configs; c++)
		if (!block->cell[c].bad && !isnan(block->cell[c].median))
			largest = fmax(largest, block->cell[c].median * factor);

	bars->title = block_title(sweep, block);
	bars->line = xcalloc(sweep->configs, sizeof(*bars->line));
	for (c = 0; c < sweep->configs; c++)
		fill_line(sweep, block, c, reference, largest, &bars->line[c]);
}

static void fill_means(const struct sweep *sweep, const struct results *results, bool energy,
		       struct bars *bars)
{
	int number = energy ? results->energy_tests : results->time_tests, c;
	const double *means = energy ? results->energy : results->time;
	struct line *line;

	bars->title = xasprintf("geometric mean of %s in %d of %d tests, relative to the reference (less is better)",
				energy ? "energy" : "time and mean latency", number, sweep->tests);
	bars->line = xcalloc(sweep->configs, sizeof(*bars->line));
	for (c = 0; c < sweep->configs; c++) {
		line = &bars->line[c];
		line->value = means[c];
		line->text = isnan(means[c]) ? xstrdup("unavailable") : xasprintf("%.3f", means[c]);
		if (isnan(means[c]))
			line->note = xstrdup("");
		else if (c == results->reference)
			line->note = xstrdup("reference");
		else
			add_difference(line, means[c], false);
	}
}

int bars_get(const struct sweep *sweep, const struct results *results, struct bars **bars)
{
	bool energy = false;
	int i, n = 0;

	*bars = xcalloc(results->blocks + 2, sizeof(**bars));
	for (i = 0; i < results->blocks; i++) {
		fill_bars(sweep, &results->block[i], results->reference, &(*bars)[n++]);
		energy |= results->block[i].metric == ENERGY;
	}
	/* Of a single one, it says nothing new. */
	if (sweep->configs > 1 && sweep->tests > 1) {
		fill_means(sweep, results, false, &(*bars)[n++]);
		if (energy)
			fill_means(sweep, results, true, &(*bars)[n++]);
	}

	return n;
}

void bars_free(const struct sweep *sweep, struct bars *bars, int number)
{
	int i, c;

	for (i = 0; i < number; i++) {
		for (c = 0; c < sweep->configs; c++) {
			free(bars[i].line[c].text);
			free(bars[i].line[c].note);
		}
		free(bars[i].line);
		free(bars[i].title);
	}
	free(bars);
}

char *bar_format(double value, double max, int width, bool utf8)
{
	int parts = utf8 ? 8 : 1, length = 0, i;
	char *string, *to;

	if (value > 0 && max > 0) {
		length = lround(value / max * width * parts);
		/* There is something. */
		if (length < 1)
			length = 1;
		if (length > width * parts)
			length = width * parts;
	}

	to = string = xcalloc(3 * width + 1, 1);
	for (i = 0; i < length / parts; i++)
		to = stpcpy(to, utf8 ? "█" : "=");
	if (length % parts) {
		/* From seven eighths (U+2589) to one (U+258F) */
		to = stpcpy(to, "▏");
		to[-1] -= length % parts - 1;
	}

	return string;
}

/* On a terminal */
static int width_of(const char *string)
{
	int width = 0;

	/* All but the bytes that go on with a character */
	for (; *string; string++)
		width += (*string & 0xc0) != 0x80;

	return width;
}

/* With "+-" for "±" where that cannot be shown; to be freed */
static char *printable(const char *string, bool utf8)
{
	const char *sign = utf8 ? NULL : strstr(string, "±");

	return sign ? xasprintf("%.*s+-%s", (int)(sign - string), string, sign + strlen("±")) :
		      xstrdup(string);
}

static void print_bars(const struct sweep *sweep, const struct bars *bars, int columns,
		       bool utf8, FILE *to)
{
	char **texts = xcalloc(sweep->configs, sizeof(*texts));
	int name = 0, text = 0, note = 0, width, c;
	double max = 0;

	for (c = 0; c < sweep->configs; c++) {
		const struct line *line = &bars->line[c];

		texts[c] = printable(line->text, utf8);
		name = fmax(name, width_of(sweep->config[c].name));
		note = fmax(note, width_of(line->note));
		text = fmax(text, width_of(texts[c]));
		if (!isnan(line->value))
			max = fmax(max, line->value);
	}
	width = columns - name - text - note - 8;
	width = width < SHORTEST ? SHORTEST : width > LONGEST ? LONGEST : width;

	fprintf(to, "\n%s\n", bars->title);
	for (c = 0; c < sweep->configs; c++) {
		const struct line *line = &bars->line[c];
		char *bar = bar_format(line->value, max, width, utf8);

		fprintf(to, "  %-*s  %*s%s", name, sweep->config[c].name,
			text - width_of(texts[c]), "", texts[c]);
		if (!isnan(line->value))
			fprintf(to, "  %s", bar);
		if (*line->note)
			fprintf(to, "%*s%s", width - width_of(bar) + 2, "", line->note);
		fputc('\n', to);
		free(bar);
		free(texts[c]);
	}
	free(texts);
}

char *describe_test(const struct sweep *sweep, const struct results *results)
{
	char *energy = results->energy_comparisons ?
		xasprintf(" and, separately, %d of energy", results->energy_comparisons) : xstrdup("");
	char *text;

	text = xasprintf("~ is not significantly different from %s: two-sided Mann-Whitney U test, p >= %g after Holm's correction for %d comparisons of time and latency%s",
			 sweep->config[results->reference].name, SIGNIFICANT,
			 results->time_comparisons, energy);
	free(energy);

	return text;
}

void report_print(const struct sweep *sweep, const struct results *results,
		  const char *no_energy, int columns, bool utf8, FILE *to)
{
	struct bars *bars;
	int n = bars_get(sweep, results, &bars), i;
	char *text;

	for (i = 0; i < n; i++)
		print_bars(sweep, &bars[i], columns, utf8, to);
	bars_free(sweep, bars, n);

	fprintf(to, "\nMedians of %d round%s, %s half the distance of the quartiles.\n",
		sweep->rounds, sweep->rounds == 1 ? "" : "s", utf8 ? "±" : "+-");
	if (sweep->configs > 1) {
		text = describe_test(sweep, results);
		fprintf(to, "%s.\n", text);
		free(text);
	}
	if (no_energy)
		fprintf(to, "Energy is unavailable: %s.\n", no_energy);
}

/* ---- CSV ------------------------------------------------------------------------------ */

bool report_csv(const struct sweep *sweep, const char *path)
{
	FILE *to = fopen(path, "we");
	struct table *table;
	bool good;
	int i;

	if (!to) {
		warn("cannot write %s: %s", path, strerror(errno));
		return false;
	}
	table = table_new("round", "test", "config", "seconds", "joules", "status", "work_s",
			  "latency_mean_ms", "latency_p99_ms", NULL);
	for (i = 0; i < sweep->samples; i++) {
		const struct sample *s = &sweep->sample[i];

		table_cell(table, "%d", s->round);
		table_cell(table, "%s", sweep->test[s->test].name);
		table_cell(table, "%s", sweep->config[s->config].name);
		table_number(table, s->seconds, 6);
		table_number(table, s->joules, 6);
		table_cell(table, "%s", status_names[s->status]);
		table_number(table, s->work, 6);
		table_number(table, s->mean * 1000, 6);
		table_number(table, s->p99 * 1000, 6);
	}
	table_print_csv(table, to);
	table_free(table);
	good = !ferror(to);
	if (fclose(to) || !good) {
		warn("cannot write %s: is the disk full?", path);
		return false;
	}

	return true;
}
