/* figures.c - the figures of the routes: as a table with a conclusion, and as JSON. */
#include "figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/json.h"

enum { MOST_OPERATIONS = 8, MOST_ROUTES = 4, MOST_ROWS = 8, TEXT_ROOM = 400 };
enum state { IDLE, COMPUTING, STATES };

struct figure {
    char what[32];
    int bytes;
    double microseconds[STATES];
    bool waits; /* for the target, if that computes */
};

struct route {
    char name[16];
    struct figure row[MOST_ROWS];
    int rows;
};

static struct {
    struct {
        char name[32];
        double microseconds;
        bool complete;
    } operation[MOST_OPERATIONS];
    struct route route[MOST_ROUTES];
    int operations, routes;
    double round_trip; /* of a message, microseconds */
    char chosen[16];
} found;

/* ---------------------------------------------------------------- lines ------------ */

static void take_operation(const struct line *l)
{
    if (strcmp(l->field[1], "round trip") == 0) found.round_trip = strtod(l->field[2], NULL);
    if (strcmp(l->field[1], "round trip") == 0 || found.operations == MOST_OPERATIONS) return;
    snprintf(found.operation[found.operations].name, sizeof found.operation[0].name, "%s",
             l->field[1]);
    found.operation[found.operations].microseconds = strtod(l->field[2], NULL);
    found.operation[found.operations++].complete = strcmp(l->field[3], "yes") == 0;
}

static void take_figure(const struct line *l)
{
    struct route *r = found.route;
    while (r < found.route + found.routes && strcmp(r->name, l->field[1]) != 0)
        r++;
    if (r == found.route + MOST_ROUTES || r->rows == MOST_ROWS) return;
    if (r == found.route + found.routes)
        snprintf(found.route[found.routes++].name, sizeof r->name, "%s", l->field[1]);
    struct figure *f = &r->row[r->rows++];
    snprintf(f->what, sizeof f->what, "%s", l->field[2]);
    f->bytes = atoi(l->field[3]);
    f->microseconds[IDLE] = strtod(l->field[4], NULL);
    f->microseconds[COMPUTING] = strtod(l->field[5], NULL);
    f->waits = strcmp(l->field[6], "yes") == 0;
}

void figures_take(const struct line *l)
{
    if (strcmp(l->field[0], "probe") == 0) take_operation(l);
    if (strcmp(l->field[0], "route") == 0)
        snprintf(found.chosen, sizeof found.chosen, "%s", l->field[1]);
    if (strcmp(l->field[0], "figure") == 0) take_figure(l);
}

/* ---------------------------------------------------------------- conclusion ------- */

static const struct route *chosen_route(void)
{
    for (int i = 0; i < found.routes; i++)
        if (strcmp(found.route[i].name, found.chosen) == 0) return &found.route[i];
    return NULL;
}

/* By 30 percent in the geometric mean of both states. */
static bool is_faster(const struct figure *a, const struct figure *b)
{
    return b->microseconds[IDLE] * b->microseconds[COMPUTING] >
           1.3 * 1.3 * a->microseconds[IDLE] * a->microseconds[COMPUTING];
}

/* Append the names of the rows in which a is faster than b. Returns their number. */
static int list_faster(const struct route *a, const struct route *b, char *text)
{
    int n = 0;
    for (int i = 0; i < a->rows && i < b->rows; i++) {
        if (!is_faster(&a->row[i], &b->row[i])) continue;
        size_t used = strlen(text);
        snprintf(text + used, TEXT_ROOM - used, "%s%s", n++ ? ", " : "", a->row[i].what);
    }
    return n;
}

/* Describe where another route is faster than the one chosen, and where it is slower. false:
 * nowhere faster. */
static bool compare_route(const struct route *other, char text[TEXT_ROOM])
{
    char slower[TEXT_ROOM] = "";
    const struct route *chosen = chosen_route();
    snprintf(text, TEXT_ROOM, "ARMCI_TRANSPORT=%s is faster for ", other->name);
    if (!chosen || other == chosen || list_faster(other, chosen, text) == 0) return false;
    if (list_faster(chosen, other, slower) == 0) return true;
    size_t used = strlen(text);
    snprintf(text + used, TEXT_ROOM - used, "; slower for %s", slower);
    return true;
}

/* What follows, one text for each call with i = 0, 1, ...; false: no more. */
static bool conclude(int i, char text[TEXT_ROOM])
{
    int faster = 0;
    for (int k = 0; k < found.routes; k++)
        if (compare_route(&found.route[k], text) && faster++ == i) return true;
    if (i > 0 || faster > 0 || !chosen_route()) return false;
    if (found.routes == 1)
        snprintf(text, TEXT_ROOM, "%s: there is no other route here", found.chosen);
    else
        snprintf(text, TEXT_ROOM,
                 "the route chosen, %s, is the fastest: no other is faster by 30 percent",
                 found.chosen);
    return true;
}

/* ---------------------------------------------------------------- text ------------- */

static double mib_per_second(const struct figure *f, enum state state)
{
    return f->microseconds[state] > 0 ? f->bytes / f->microseconds[state] * 1e6 / (1 << 20) : 0;
}

static bool is_bandwidth(const struct figure *f)
{
    return f->bytes > 8;
}

static void print_figure(const struct figure *f, enum state state)
{
    const double us = f->microseconds[state];
    if (state == COMPUTING && f->waits)
        printf("%12s", "waits");
    else if (is_bandwidth(f))
        printf("%12.2f", mib_per_second(f, state));
    else
        printf("%12.*f", decimals(us), us);
}

static void print_probe(void)
{
    if (found.operations > 0)
        printf("\n  MPI alone (* without the target): round trip %.1f us", found.round_trip);
    for (int i = 0; i < found.operations; i++)
        printf(", %s %.1f us%s", found.operation[i].name, found.operation[i].microseconds,
               found.operation[i].complete ? "*" : "");
    printf("\n");
}

void figures_print(void)
{
    char text[TEXT_ROOM];
    if (found.routes == 0) return;
    print_probe();
    printf("  %-30s", "medians");
    for (const struct route *r = found.route; r < found.route + found.routes; r++)
        printf(r == chosen_route() ? "%15s (chosen)" : "%24s", r->name);
    printf("\n  %-30s", "the target");
    for (int k = 0; k < found.routes; k++)
        printf("%12s%12s", "is in MPI", "computes");
    printf("\n");
    for (int i = 0; i < found.route[0].rows; i++) {
        printf("  %-24s %-5s", found.route[0].row[i].what,
               is_bandwidth(&found.route[0].row[i]) ? "MiB/s" : "us");
        for (int k = 0; k < found.routes && i < found.route[k].rows; k++) {
            print_figure(&found.route[k].row[i], IDLE);
            print_figure(&found.route[k].row[i], COMPUTING);
        }
        printf("\n");
    }
    for (int i = 0; conclude(i, text); i++)
        printf("  -> %s\n", text);
}

/* ---------------------------------------------------------------- JSON ------------- */

static void add_probe(struct json *j)
{
    armcii_json_line(j);
    if (found.operations == 0) {
        armcii_json_null(j, "probe");
        return;
    }
    armcii_json_open(j, "probe", '{');
    armcii_json_real(j, "round_trip_us", 3, found.round_trip);
    armcii_json_open(j, "operations", '[');
    for (int i = 0; i < found.operations; i++) {
        armcii_json_line(j);
        armcii_json_open(j, NULL, '{');
        armcii_json_text(j, "operation", found.operation[i].name);
        armcii_json_real(j, "us", 3, found.operation[i].microseconds);
        armcii_json_bool(j, "complete_without_target", found.operation[i].complete);
        armcii_json_close(j, '}');
    }
    armcii_json_close(j, ']');
    armcii_json_close(j, '}');
}

static void add_figure(struct json *j, const struct figure *f)
{
    armcii_json_line(j);
    armcii_json_open(j, NULL, '{');
    armcii_json_text(j, "operation", f->what);
    armcii_json_count(j, "bytes", (uint64_t)f->bytes);
    armcii_json_real(j, "idle_us", 3, f->microseconds[IDLE]);
    armcii_json_real(j, "computing_us", 3, f->microseconds[COMPUTING]);
    if (is_bandwidth(f)) {
        armcii_json_real(j, "idle_MiB_per_s", 1, mib_per_second(f, IDLE));
        armcii_json_real(j, "computing_MiB_per_s", 1, mib_per_second(f, COMPUTING));
    }
    armcii_json_bool(j, "waits_for_target", f->waits);
    armcii_json_close(j, '}');
}

static void add_route(struct json *j, const struct route *r)
{
    armcii_json_line(j);
    armcii_json_open(j, NULL, '{');
    armcii_json_text(j, "route", r->name);
    armcii_json_bool(j, "chosen", strcmp(r->name, found.chosen) == 0);
    armcii_json_open(j, "rows", '[');
    for (int i = 0; i < r->rows; i++)
        add_figure(j, &r->row[i]);
    armcii_json_close(j, ']');
    armcii_json_close(j, '}');
}

void figures_add_json(struct json *j)
{
    char text[TEXT_ROOM];
    add_probe(j);
    armcii_json_line(j);
    armcii_json_open(j, "routes", '[');
    for (int i = 0; i < found.routes; i++)
        add_route(j, &found.route[i]);
    armcii_json_close(j, ']');
    armcii_json_line(j);
    armcii_json_open(j, "conclusion", '[');
    for (int i = 0; conclude(i, text); i++)
        armcii_json_text(j, NULL, text);
    armcii_json_close(j, ']');
}
