// SPDX-License-Identifier: GPL-2.0-only
/*
 * Results as a picture: the bars of eas-sweep-report.c, one below the other.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eas-sweep.h"
#include "plot.h"
#include "util.h"

/* In pixels */
#define WIDTH		1100
#define LINE_HEIGHT	22
#define HEADING		34		/* above bars */
#define FOOTER		64
#define CHARACTER	8		/* width, roughly */

#define MEASURED	"'#0072b2'"
#define FAINT		"'#9fc4dd'"
#define REFERENCE	"'#666666'"

static void print_label(FILE *plot, const char *format, const char *string)
{
	char *quoted = plot_quote(string);

	fprintf(plot, format, quoted);
	free(quoted);
}

/* The name on the left, the value at the end of the bar */
static void draw_bars(const struct sweep *sweep, const struct bars *bars, int reference,
		      FILE *plot)
{
	double max = 0;
	char *label;
	int c;

	for (c = 0; c < sweep->configs; c++)
		if (!isnan(bars->line[c].value))
			max = fmax(max, bars->line[c].value);
	if (!(max > 0))
		max = 1;

	/* A title would be in the middle. */
	print_label(plot, "unset label\nset label %s at graph 0, graph 1 offset 0, character 0.6\n",
		    bars->title);
	/* Bars do not fill the width, since values come after them. */
	fprintf(plot, "set xrange [0:%.9g]\nset yrange [%d.5:-0.5]\nset ytics (", max * 1.6,
		sweep->configs - 1);
	for (c = 0; c < sweep->configs; c++) {
		print_label(plot, c ? ", %s" : "%s", sweep->config[c].name);
		fprintf(plot, " %d", c);
	}
	fputs(")\n", plot);
	for (c = 0; c < sweep->configs; c++) {
		const struct line *line = &bars->line[c];

		label = xasprintf("%s%s%s", line->text, *line->note ? "   " : "", line->note);
		print_label(plot, "set label %s", label);
		fprintf(plot, " at %.9g, %d left offset character 0.7, 0 font ',12'\n",
			isnan(line->value) ? 0 : line->value, c);
		free(label);
	}

	/* Three kinds of bars; each has all lines, of which those of other kinds have no length. */
	fputs("plot", plot);
	for (c = 0; c < 3; c++)
		fprintf(plot, "%s '-' using 1:2:3:4:5:6 with boxxyerror fillstyle solid 1 noborder lc rgb %s notitle",
			c ? "," : "", c == 0 ? MEASURED : c == 1 ? FAINT : REFERENCE);
	fputc('\n', plot);
	for (int kind = 0; kind < 3; kind++) {
		for (c = 0; c < sweep->configs; c++) {
			const struct line *line = &bars->line[c];
			bool shown = !isnan(line->value) &&
				     kind == (c == reference ? 2 : line->faint ? 1 : 0);

			fprintf(plot, "0 %d 0 %.9g %g %g\n", c, shown ? line->value : 0,
				c - 0.36, c + 0.36);
		}
		fputs("e\n", plot);
	}
}

bool report_svg(const struct sweep *sweep, const struct results *results, const char *path)
{
	int height = HEADING + sweep->configs * LINE_HEIGHT, total, name = 0, top, n, i;
	struct bars *bars;
	const char *why;
	char *text, *second;
	FILE *plot;

	n = bars_get(sweep, results, &bars);
	total = n * height + FOOTER;
	plot = plot_begin(path, WIDTH, total, &why);
	if (!plot) {
		warn("no picture: %s", why);
		bars_free(sweep, bars, n);
		return false;
	}

	for (i = 0; i < sweep->configs; i++)
		name = fmax(name, strlen(sweep->config[i].name));
	fprintf(plot,
		"set multiplot\n"
		"set border 2\n"
		"unset grid\n"
		"unset xtics\n"
		"set ytics nomirror scale 0 font ',12'\n"
		"set lmargin at screen %.6f\n"
		"set rmargin at screen 0.99\n",
		fmin(0.5, (double)(name * CHARACTER + 20) / WIDTH));

	for (i = 0; i < n; i++) {
		top = total - i * height - HEADING;
		fprintf(plot, "set tmargin at screen %.6f\nset bmargin at screen %.6f\n",
			(double)top / total,
			(double)(top - sweep->configs * LINE_HEIGHT) / total);
		draw_bars(sweep, &bars[i], sweep->configs > 1 ? results->reference : -1, plot);
	}
	bars_free(sweep, bars, n);

	/* A plot with nothing but the text at the bottom */
	text = describe_test(sweep, results);
	second = strchr(text, ':');
	if (second)
		*second++ = '\0';
	fputs("unset label\nunset border\nunset ytics\n", plot);
	fputs("set tmargin at screen 0.001\nset bmargin at screen 0\n", plot);
	if (sweep->configs > 1) {
		print_label(plot, "set label %s", text);
		fprintf(plot, " at screen 0.01, %.6f font ',12'\n", 42.0 / total);
		print_label(plot, "set label %s", second ? second + 1 : "");
		fprintf(plot, " at screen 0.01, %.6f font ',12'\n", 22.0 / total);
	}
	free(text);
	fputs("plot [0:1] [0:1] -1 notitle\nunset multiplot\nset output\n", plot);

	why = plot_end(plot);
	if (why)
		warn("no picture: %s", why);

	return !why;
}
