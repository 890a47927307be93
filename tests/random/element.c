/* element.c - the arithmetic of accumulate. */
#include <string.h>

#include "program.h"

long element_size(int type)
{
    static const long size[] = {sizeof(int), sizeof(long), sizeof(float), sizeof(double), 2 * sizeof(float), 2 * sizeof(double), 1};
    return size[type];
}

long element_part(int type)
{
    return type == ARMCI_ACC_CPL || type == ARMCI_ACC_DCP ? element_size(type) / 2 : element_size(type);
}

void element_store(int type, void *part, double value)
{
    switch (type) {
    case ARMCI_ACC_INT: memcpy(part, &(int){(int)value}, sizeof(int)); break;
    case ARMCI_ACC_LNG: memcpy(part, &(long){(long)value}, sizeof(long)); break;
    case ARMCI_ACC_FLT:
    case ARMCI_ACC_CPL: memcpy(part, &(float){(float)value}, sizeof(float)); break;
    default: memcpy(part, &value, sizeof value);
    }
}

/* All numbers are small integers, so double holds every one exactly. */
static double load_part(int type, const void *part)
{
    int i;
    long l;
    float f;
    double d;
    switch (type) {
    case ARMCI_ACC_INT: memcpy(&i, part, sizeof i); return i;
    case ARMCI_ACC_LNG: memcpy(&l, part, sizeof l); return (double)l;
    case ARMCI_ACC_FLT:
    case ARMCI_ACC_CPL: memcpy(&f, part, sizeof f); return (double)f;
    default: memcpy(&d, part, sizeof d); return d;
    }
}

void element_scale(int type, const int scale[2], void *memory)
{
    element_store(type, memory, scale[0]);
    if (element_part(type) < element_size(type)) element_store(type, (char *)memory + element_part(type), scale[1]);
}

void element_accumulate(int type, const int scale[2], char *dst, const char *src, long n)
{
    long size = element_size(type), part = element_part(type);
    for (long i = 0; i < n; i += size) {
        double re = load_part(type, src + i);
        if (part == size) {
            element_store(type, dst + i, load_part(type, dst + i) + scale[0] * re);
            continue;
        }
        double im = load_part(type, src + i + part);
        element_store(type, dst + i, load_part(type, dst + i) + scale[0] * re - scale[1] * im);
        element_store(type, dst + i + part, load_part(type, dst + i + part) + scale[0] * im + scale[1] * re);
    }
}

long element_number(int type, const char *part)
{
    double number = load_part(type, part);
    return number > -1e15 && number < 1e15 ? (long)number : (long)1 << 62; /* nothing we ever add up to */
}
