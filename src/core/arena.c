/* Scratch memory: bump allocation in chunks, given back in stack order. A thread's arena keeps its
 * first chunk at the high-water mark, so a sample loop allocates nothing once it is warm. */
#include "core/core.h"

#include <pthread.h>
#include <string.h>

enum { ALIGN = 64, FIRST_SIZE = 64 << 10 };
static const size_t keep_max = (size_t)32 << 20; /* a huge sample's memory is given back */

typedef struct chunk {
    struct chunk *below;
    size_t size, used;
    char pad[ALIGN - sizeof(void *) - 2 * sizeof(size_t)];
} chunk;
_Static_assert(sizeof(chunk) == ALIGN, "data follows aligned");

struct hr_arena {
    chunk *top;
    size_t want; /* size of the single chunk that would have held everything */
    size_t live;
};

static chunk *chunk_new(size_t size, chunk *below)
{
    if (size > SIZE_MAX - ALIGN) return NULL;
    chunk *c = hr_alloc(1, size + ALIGN);
    if (!c) return NULL;
    c->below = below;
    c->size = size;
    c->used = 0;
    return c;
}

hr_status hr_arena_create(hr_arena **out, hr_error *err)
{
    hr_arena *a = hr_alloc_zero(1, sizeof *a);
    if (!a) return hr_fail(err, HR_NOMEM, "no memory for an arena");
    *out = a;
    return HR_OK;
}

void hr_arena_destroy(hr_arena **parena)
{
    hr_arena *a = *parena;
    *parena = NULL;
    if (!a) return;
    while (a->top) {
        chunk *below = a->top->below;
        hr_free(a->top);
        a->top = below;
    }
    hr_free(a);
}

void *hr_arena_take(hr_arena *a, size_t size)
{
    if (size > SIZE_MAX / 2) return NULL;
    size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    chunk *c = a->top;
    if (!c || c->size - c->used < size) {
        size_t least = c ? c->size : FIRST_SIZE;
        if (!c && a->want > least) least = a->want;
        c = chunk_new(size > least ? size : least, a->top);
        if (!c) return NULL;
        a->top = c;
    }
    void *p = (char *)(c + 1) + c->used;
    c->used += size;
    a->live += size;
    if (a->live > a->want) a->want = a->live;
    return p;
}

/* An empty bottom chunk counts as no chunk: it may be replaced by a larger one in between. */
hr__arena_mark hr__arena_get_mark(const hr_arena *a)
{
    chunk *c = a->top;
    if (c && !c->below && c->used == 0) c = NULL;
    return (hr__arena_mark){c, c ? c->used : 0};
}

void hr__arena_release(hr_arena *a, hr__arena_mark mark)
{
    while (a->top && a->top != mark.chunk) {
        chunk *c = a->top;
        a->live -= c->used;
        /* The bottom chunk stays if it would have held everything that was needed so far. */
        if (!c->below && c->size >= a->want && c->size <= keep_max) {
            c->used = 0;
            return;
        }
        a->top = c->below;
        hr_free(c);
    }
    if (a->top) {
        a->live -= a->top->used - mark.used;
        a->top->used = mark.used;
    } else if (a->want > keep_max) {
        a->want = 0;
    }
}

static pthread_key_t key;
static int key_ok;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static _Thread_local hr_arena *thread_arena;

static void end_thread(void *arg)
{
    hr_arena *a = arg;
    hr_arena_destroy(&a);
}

static void make_key(void) { key_ok = pthread_key_create(&key, end_thread) == 0; }

hr_arena *hr__arena_of_thread(void)
{
    if (thread_arena) return thread_arena;
    pthread_once(&key_once, make_key);
    hr_arena *a = NULL;
    if (!key_ok || hr_arena_create(&a, NULL) != HR_OK) return NULL;
    if (pthread_setspecific(key, a) != 0) {
        hr_arena_destroy(&a);
        return NULL;
    }
    return thread_arena = a;
}
