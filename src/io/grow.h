/* Arrays that grow. */
#ifndef HR_IO_GROW_H
#define HR_IO_GROW_H

#include <string.h>

#include <headrace/memory.h>

/* Makes room for element `n` of an array of `*room` elements of `size` bytes: the array, moved
 * where it had to grow; NULL when memory is out, and then the old one stays. */
static inline void *hr__grow(void *array, size_t *room, size_t n, size_t size)
{
    if (n < *room) return array;
    size_t more = n < *room * 2 + 16 ? *room * 2 + 16 : n + 1;
    void *larger = hr_alloc(more, size);
    if (!larger) return NULL;
    if (*room) memcpy(larger, array, *room * size);
    hr_free(array);
    *room = more;
    return larger;
}

#endif
