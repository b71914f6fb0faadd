// The sizes of the layer, for CUDA and GLSL alike: Llama 3.2 1B's. decode.toml has the same numbers.
#define HIDDEN 2048
#define HEADS 32
#define KV_HEADS 8  // each serves HEADS / KV_HEADS = 4 queries
#define HEAD_DIM 64
#define FFN 8192
#define CONTEXT 2048  // tokens in the cache, with the one in hand, which is the last
#define SPLITS 16     // of the context, in attention: 8 * 16 = 128 blocks
#define ROWS 4        // warps (subgroups) of a block, a row or a head each
#define THREADS 256   // of the norm's one block
