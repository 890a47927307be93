/* mg.c - the solver of NAS MG, from its specification: the residual r = v - A u is restricted to
 * ever coarser grids, and on the way back up u is interpolated, corrected and smoothed on each. */
#include "mg.h"

#include "sample.h"

#include <armci.h>
#include <math.h>
#include <message.h> /* not every armci.h includes it */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Coefficients for a point, its neighbours by a face, by an edge and by a corner: -A, and the
 * restriction P. */
static const double minus_a[4] = {8.0 / 3, 0, -1.0 / 6, -1.0 / 12};
static const double restriction[4] = {0.5, 0.25, 0.125, 0.0625};

/* ---- where the charges are ---- */

/* Put a number into a list that descends, and its place into another; the last one falls out. */
static void insert(double number, long place, double *numbers, long *places)
{
    int i = MG_CHARGES / 2 - 1;
    for (; i > 0 && number > numbers[i - 1]; i--) {
        numbers[i] = numbers[i - 1];
        places[i] = places[i - 1];
    }
    numbers[i] = number;
    places[i] = place;
}

/* Each rank goes through all random numbers; this is not timed. */
static void find_charges(struct mg *mg)
{
    const uint64_t a = 1220703125, mask = (UINT64_C(1) << 46) - 1; /* a = 5^13 */
    const long side = mg->class->side, last = MG_CHARGES / 2 - 1;
    double largest[MG_CHARGES / 2], smallest[MG_CHARGES / 2]; /* these with the other sign */
    uint64_t x = 314159265;
    for (int i = 0; i <= last; i++)
        largest[i] = smallest[i] = -INFINITY;
    for (long i = 0; i < side * side * side; i++) {
        x = x * a & mask;
        double number = (double)x;
        if (number > largest[last]) insert(number, i, largest, mg->charges);
        if (-number > smallest[last]) insert(-number, i, smallest, mg->charges + last + 1);
    }
}

/* ---- blocks ---- */

static void place_charges(struct mg *mg)
{
    const struct mg_level *top = &mg->level[mg->levels - 1];
    const long side = mg->class->side;
    memset(mg->v, 0, (size_t)((top->size[0] + 2) * top->plane) * sizeof *mg->v);
    for (int i = 0; i < MG_CHARGES; i++) {
        long n = mg->charges[i], global[MG_AXES] = {n / side / side, n / side % side, n % side},
             at = 0;
        const long step[MG_AXES] = {top->plane, top->row, 1};
        bool mine = true;
        for (int axis = 0; axis < MG_AXES; axis++) {
            long local = global[axis] - (long)mg->place[axis] * top->size[axis];
            mine = mine && local >= 0 && local < top->size[axis];
            at += (local + 1) * step[axis];
        }
        if (mine) mg->v[at] = i < MG_CHARGES / 2 ? 1 : -1;
    }
}

struct mg_face mg_face(const struct mg_level *level, int axis)
{
    const long step[MG_AXES] = {level->plane, level->row, 1};
    const long base = (axis > 0 ? level->plane : 0) + (axis > 1 ? level->row : 0);
    struct mg_face face = {.length = step[axis],
                           .count = {axis > 1 ? level->size[1] : 1, axis > 0 ? level->size[0] : 1},
                           .distance = {level->row, level->plane}};
    face.first[0] = base + step[axis];
    face.first[1] = base + step[axis] * level->size[axis];
    face.halo[0] = base;
    face.halo[1] = face.first[1] + step[axis];
    return face;
}

/* Along an axis with one rank the block is its own neighbour. */
static void wrap(const struct mg_face *face, double *array)
{
    for (int end = 0; end < 2; end++) {
        double *to = array + face->halo[end], *from = array + face->first[1 - end];
        for (long i = 0; i < face->count[1]; i++) {
            for (long j = 0; j < face->count[0]; j++) {
                const long at = i * face->distance[1] + j * face->distance[0];
                memcpy(to + at, from + at, (size_t)face->length * sizeof *array);
            }
        }
    }
}

/* Axis after axis, so that edges and corners of the halo arrive, too. */
static void fill_halo(struct mg *mg, const struct mg_way *way, int k, double *array)
{
    for (int axis = MG_AXES - 1; axis >= 0; axis--) {
        struct mg_face face = mg_face(&mg->level[k], axis);
        if (mg->grid[axis] == 1) {
            wrap(&face, array);
            continue;
        }
        double begin = sample_clock();
        way->exchange(mg, &mg->level[k], array, axis);
        mg->communication += (sample_clock() - begin) / 1e9;
    }
}

/* ---- what happens to a row of points ---- */

/* Of each point in the row at `f`: the sum of its four neighbours by a face, and of its four by an
 * edge, in the plane across the row. */
static void sum_across(const struct mg_level *level, const double *f, double *face, double *edge)
{
    const long row = level->row, plane = level->plane;
    for (long x = 0; x < row; x++) {
        face[x] = f[x - row] + f[x + row] + f[x - plane] + f[x + plane];
        edge[x] = f[x - plane - row] + f[x - plane + row] + f[x + plane - row] + f[x + plane + row];
    }
}

static double weigh(const double *c, const double *f, const double *face, const double *edge,
                    long x)
{
    return c[0] * f[x] + c[1] * (f[x - 1] + f[x + 1] + face[x]) +
           c[2] * (face[x - 1] + face[x + 1] + edge[x]) + c[3] * (edge[x - 1] + edge[x + 1]);
}

/* to = from + C f, without the halo. */
static void add_stencil(const struct mg_level *level, double *to, const double *from,
                        const double *c, const double *f)
{
    double face[level->row], edge[level->row];
    for (int z = 1; z <= level->size[0]; z++) {
        for (int y = 1; y <= level->size[1]; y++) {
            const long at = z * level->plane + y * level->row;
            sum_across(level, f + at, face, edge);
            for (long x = 1; x <= level->size[2]; x++)
                to[at + x] = from[at + x] + weigh(c, f + at, face, edge, x);
        }
    }
}

/* Each point of the coarse r from the 27 fine ones around it. */
static void restrict_to(const struct mg_level *coarse, const struct mg_level *fine)
{
    double face[fine->row], edge[fine->row];
    for (int z = 1; z <= coarse->size[0]; z++) {
        for (int y = 1; y <= coarse->size[1]; y++) {
            const double *f = fine->r + 2 * z * fine->plane + 2 * y * fine->row;
            double *to = coarse->r + z * coarse->plane + y * coarse->row;
            sum_across(fine, f, face, edge);
            for (long x = 1; x <= coarse->size[2]; x++)
                to[x] = weigh(restriction, f, face, edge, 2 * x);
        }
    }
}

/* Add the coarse u to the fine one, halo included: fine points between coarse ones get averages. */
static void interpolate(const struct mg_level *coarse, const struct mg_level *fine)
{
    double mean[coarse->row];
    for (int z = 0; z < fine->size[0] + 2; z++) {
        for (int y = 0; y < fine->size[1] + 2; y++) {
            const double *c = coarse->u + z / 2 * coarse->plane + y / 2 * coarse->row;
            const long above = z % 2 * coarse->plane, beside = y % 2 * coarse->row;
            double *to = fine->u + z * fine->plane + y * fine->row;
            for (long x = 0; x < coarse->row; x++)
                mean[x] = 0.25 * (c[x] + c[x + above] + c[x + beside] + c[x + above + beside]);
            for (long x = 0; x < coarse->row - 1; x++) {
                to[2 * x] += mean[x];
                to[2 * x + 1] += 0.5 * (mean[x] + mean[x + 1]);
            }
        }
    }
}

/* ---- the solver ---- */

static size_t bytes_of(const struct mg_level *level)
{
    return (size_t)((level->size[0] + 2) * level->plane) * sizeof(double);
}

static void find_residual(struct mg *mg, const struct mg_way *way, int k, const double *v)
{
    const struct mg_level *level = &mg->level[k];
    add_stencil(level, level->r, v, minus_a, level->u);
    fill_halo(mg, way, k, level->r);
}

static void smooth(struct mg *mg, const struct mg_way *way, int k)
{
    const struct mg_level *level = &mg->level[k];
    add_stencil(level, level->u, level->u, mg->class->smoother, level->r);
    fill_halo(mg, way, k, level->u);
}

/* One V. The coarse u are cleared first: later a neighbour may have put into their halos already.
 */
static void cycle(struct mg *mg, const struct mg_way *way)
{
    const int top = mg->levels - 1;
    for (int k = 0; k < top; k++)
        memset(mg->level[k].u, 0, bytes_of(&mg->level[k]));
    for (int k = top; k > 0; k--) {
        restrict_to(&mg->level[k - 1], &mg->level[k]);
        fill_halo(mg, way, k - 1, mg->level[k - 1].r);
    }
    smooth(mg, way, 0);
    for (int k = 1; k <= top; k++) {
        interpolate(&mg->level[k - 1], &mg->level[k]);
        find_residual(mg, way, k, k < top ? mg->level[k].r : mg->v);
        smooth(mg, way, k);
    }
}

static double norm(const struct mg *mg)
{
    const struct mg_level *top = &mg->level[mg->levels - 1];
    const double points = pow(mg->class->side, MG_AXES);
    double sum = 0;
    char plus[] = "+";
    for (int z = 1; z <= top->size[0]; z++) {
        for (int y = 1; y <= top->size[1]; y++) {
            const double *r = top->r + z * top->plane + y * top->row;
            for (int x = 1; x <= top->size[2]; x++)
                sum += r[x] * r[x];
        }
    }
    armci_msg_dgop(&sum, 1, plus);
    return sqrt(sum / points);
}

double mg_solve(struct mg *mg, const struct mg_way *way)
{
    const int top = mg->levels - 1;
    mg->communication = 0;
    memset(mg->level[top].u, 0, bytes_of(&mg->level[top]));
    find_residual(mg, way, top, mg->v);
    for (int i = 0; i < mg->class->iterations; i++) {
        cycle(mg, way);
        find_residual(mg, way, top, mg->v);
    }
    return norm(mg);
}

/* ---- memory ---- */

bool mg_can(int ranks)
{
    return ranks > 1 && ranks <= MG_MOST_RANKS && (ranks & (ranks - 1)) == 0;
}

/* Halve axis 0 first: its faces are contiguous. */
static void find_neighbours(struct mg *mg, int ranks)
{
    for (int axis = 0; axis<MG_AXES; axis++, ranks = ranks> 1 ? ranks / 2 : 1)
        mg->grid[axis] = ranks > 1 ? 2 : 1;
    const int step[MG_AXES] = {mg->grid[1] * mg->grid[2], mg->grid[2], 1};
    for (int axis = 0; axis < MG_AXES; axis++) {
        mg->place[axis] = mg->me / step[axis] % mg->grid[axis];
        int other = mg->grid[axis] == 1 ? 0 : mg->place[axis] == 0 ? step[axis] : -step[axis];
        mg->neighbours[axis][0] = mg->neighbours[axis][1] = mg->me + other; /* a ring of two */
    }
}

/* The sizes of the levels; the offsets of their arrays, still without a base; bytes of a slice. */
static size_t lay_out(struct mg *mg)
{
    mg->levels = 0;
    for (int side = 2; side <= mg->class->side; side *= 2, mg->levels++) {
        struct mg_level *level = &mg->level[mg->levels];
        for (int axis = 0; axis < MG_AXES; axis++)
            level->size[axis] = side / mg->grid[axis];
        level->row = level->size[2] + 2;
        level->plane = level->row * (level->size[1] + 2);
    }
    size_t bytes = MG_FLAG_BYTES;
    for (int k = 0; k < mg->levels; k++)
        bytes += 2 * bytes_of(&mg->level[k]);
    return bytes;
}

static void assign(struct mg *mg)
{
    char *next = (char *)mg->slices[mg->me] + MG_FLAG_BYTES;
    for (int k = 0; k < mg->levels; k++, next += bytes_of(&mg->level[k - 1])) {
        mg->level[k].u = (double *)(void *)next;
        next += bytes_of(&mg->level[k]);
        mg->level[k].r = (double *)(void *)next;
    }
}

bool mg_open(struct mg *mg, const struct mg_class *class, const struct site *site)
{
    *mg = (struct mg){.class = class, .me = site->me};
    find_neighbours(mg, site->ranks);
    const size_t bytes = lay_out(mg);
    mg->slices = calloc((size_t)site->ranks, sizeof *mg->slices);
    mg->v = malloc(bytes_of(&mg->level[mg->levels - 1]));
    bool complete = site_all(mg->slices && mg->v);
    complete = complete && site_all(ARMCI_Malloc(mg->slices, (armci_size_t)bytes) == 0);
    if (!complete) {
        free(mg->slices);
        free(mg->v);
        return false;
    }
    memset(mg->slices[mg->me], 0, bytes);
    assign(mg);
    find_charges(mg);
    place_charges(mg);
    ARMCI_Barrier();
    return true;
}

void mg_close(struct mg *mg)
{
    ARMCI_Barrier();
    ARMCI_Free(mg->slices[mg->me]);
    free(mg->slices);
    free(mg->v);
}
