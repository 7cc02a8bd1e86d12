/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SVG pictures, drawn by gnuplot.
 */
#ifndef CPUFREQ_EAS_PLOT_H
#define CPUFREQ_EAS_PLOT_H

#include <stdio.h>

/*
 * plot_begin() - start gnuplot
 * @path: the SVG to be written
 * @width, @height: in pixels
 * @why: if this does not work, the reason and the remedy, in one line
 *
 * What is written to the stream are gnuplot commands; terminal, size, fonts, colours and
 * grid have been set. Titles and names have to go through plot_quote().
 *
 * Return: NULL if it does not work.
 */
FILE *plot_begin(const char *path, int width, int height, const char **why);

/* plot_end() - wait for gnuplot. Return: NULL, or why there is no picture. */
const char *plot_end(FILE *plot);

/* A gnuplot string with quotes, to be freed. */
char *plot_quote(const char *string);

#endif
