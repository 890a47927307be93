/* figures.h - what the routes between nodes cost, and which one is the fastest. */
#ifndef DOCTOR_FIGURES_H
#define DOCTOR_FIGURES_H

#include "lines.h"

struct json;

/* Store a line of the kinds probe, route and figure; no effect for others. */
void figures_take(const struct line *line);
/* Print the probe, the figures and the conclusion; nothing if there are no figures. */
void figures_print(void);
/* The members "probe" (null: none ran), "routes" and "conclusion" of an object. */
void figures_add_json(struct json *j);

#endif
