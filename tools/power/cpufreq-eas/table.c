// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables for people and as CSV, from the same cells.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <stdbool.h>
#include <wchar.h>

#include "table.h"
#include "util.h"

struct table {
	int columns;
	bool *number;		/* per column: right-aligned */
	/* Row by row, the headings first; NULL is an unavailable one. */
	char **cell;
	int cells, room;
};

static void add_cell(struct table *table, char *string)
{
	if (table->cells == table->room) {
		table->room = table->room * 2 + 16;
		table->cell = xrealloc(table->cell, table->room * sizeof(*table->cell));
	}
	table->cell[table->cells++] = string;
}

struct table *table_new(const char *heading, ...)
{
	struct table *table = xcalloc(1, sizeof(*table));
	va_list args;

	va_start(args, heading);
	for (; heading; heading = va_arg(args, const char *)) {
		table->number = xrealloc(table->number,
					 (table->columns + 1) * sizeof(*table->number));
		table->number[table->columns++] = *heading == '>';
		add_cell(table, xstrdup(heading + (*heading == '>')));
	}
	va_end(args);

	return table;
}

void table_free(struct table *table)
{
	int i;

	if (!table)
		return;

	for (i = 0; i < table->cells; i++)
		free(table->cell[i]);
	free(table->cell);
	free(table->number);
	free(table);
}

void table_cell(struct table *table, const char *format, ...)
{
	char *string = NULL;
	va_list args;

	if (format) {
		va_start(args, format);
		if (vasprintf(&string, format, args) < 0)
			die(EXIT_FAILED, "out of memory");
		va_end(args);
		if (!*string) {
			free(string);
			string = NULL;
		}
	}
	add_cell(table, string);
}

void table_number(struct table *table, double value, int digits)
{
	if (isnan(value))
		table_cell(table, NULL);
	else
		table_cell(table, "%.*f", digits, value);
}

/* Columns on a terminal; strings that are not valid in this locale count by bytes. */
static int width_of(const char *string)
{
	size_t length = mbstowcs(NULL, string, 0);
	wchar_t *wide;
	int width;

	if (length == (size_t)-1)
		return strlen(string);

	wide = xcalloc(length + 1, sizeof(*wide));
	mbstowcs(wide, string, length + 1);
	width = wcswidth(wide, length);
	free(wide);

	return width < 0 ? (int)strlen(string) : width;
}

static const char *shown(const struct table *table, int i)
{
	return i < table->cells && table->cell[i] ? table->cell[i] : "-";
}

void table_print(const struct table *table, FILE *to)
{
	int *width = xcalloc(table->columns, sizeof(*width));
	int i, column, fill;

	for (i = 0; i < table->cells; i++) {
		column = i % table->columns;
		fill = width_of(shown(table, i));
		if (fill > width[column])
			width[column] = fill;
	}

	for (i = 0; i < table->cells; i++) {
		column = i % table->columns;
		fill = width[column] - width_of(shown(table, i));
		if (column)
			fputs("  ", to);
		if (table->number[column])
			fprintf(to, "%*s%s", fill, "", shown(table, i));
		else if (column == table->columns - 1 || i == table->cells - 1)
			fputs(shown(table, i), to);
		else
			fprintf(to, "%s%*s", shown(table, i), fill, "");
		if (column == table->columns - 1 || i == table->cells - 1)
			fputc('\n', to);
	}
	free(width);
}

void table_print_csv(const struct table *table, FILE *to)
{
	const char *string, *c;
	int i, column;

	for (i = 0; i < table->cells; i++) {
		column = i % table->columns;
		if (column)
			fputc(',', to);
		string = table->cell[i];
		if (string && strpbrk(string, "\",\r\n")) {
			fputc('"', to);
			for (c = string; *c; c++) {
				if (*c == '"')
					fputc('"', to);
				fputc(*c, to);
			}
			fputc('"', to);
		} else if (string) {
			fputs(string, to);
		}
		/* RFC 4180 has lines end like this. */
		if (column == table->columns - 1 || i == table->cells - 1)
			fputs("\r\n", to);
	}
}
