// C = A B by cooperative matrices of subgroups. A workgroup computes a tile of C; the operands' tiles go through shared memory,
// by loads and stores of 16 bytes, the next ones on their way to registers meanwhile.
// With DOUBLE there are two tiles of each operand in turn, and one barrier a step in place of two.
// With OFFSETS an invocation's vectors lie at constant offsets from its first.
// With STAGED sums reach C through shared memory, a subgroup's 16 rows at a time, by stores of 16 bytes.
// With B_BY_ROWS, B lies as k x n, and its tile in shared memory has a row for each of its k.
// With SIZED the size of A, B and C is the pipeline's, too, and a compiler may unroll the loop over K.
#include "matrix.glsl"
#include "order.glsl"

layout(constant_id = 1) const uint kRowsC = 128;  // the workgroup's tile
layout(constant_id = 2) const uint kColumnsC = 128;
layout(constant_id = 3) const uint kDepth = 32;
layout(constant_id = 4) const uint kSubgroupsDown = 2;  // over the tile
layout(constant_id = 5) const uint kSubgroupsAcross = 4;
layout(constant_id = 6) const uint kGroupRows = 0;  // see order.glsl
#ifdef SIZED
layout(constant_id = 7) const uint kSize = 0;  // rows and columns of A, B and C; 0: as MatrixParams says
layout(constant_id = 11) const uint kSubgroup = 32;
#define SIZE(given) (kSize != 0 ? kSize : (given))
#define LOOP_OVER_K
#else
const uint kSubgroup = 32;
#define SIZE(given) given
#define LOOP_OVER_K [[dont_unroll]]
#endif

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Vectors { uvec4 at[]; };
#ifdef STAGED  // ACC_BYTES: of a sum
const uint kSumVector = 16 / ACC_BYTES;  // sums in 16 bytes
layout(buffer_reference, std430, buffer_reference_align = 16) buffer SumVectors { uvec4 at[]; };
#else
#define SumVectors Sums
#endif
layout(push_constant, std430) uniform Push {
  Vectors a;
  Vectors b;
  SumVectors sums;
  MatrixParams params;
};

#ifdef HALVES
const uint kVector = 16;  // elements in 16 bytes
#else
const uint kVector = 32 / TK == 1 ? 16 : 8;
#endif
const uint kThreads = kSubgroup * kSubgroupsDown * kSubgroupsAcross;
const uint kRowVectors = kDepth / kVector;
const uint kPitch = kRowVectors + 1;  // 16 bytes of padding: rows begin in different banks
const uint kVectorsA = kRowsC * kRowVectors / kThreads;  // that an invocation copies a step
const uint kVectorsB = kColumnsC * kRowVectors / kThreads;
const uint kDown = kRowsC / kSubgroupsDown / kMatrixRows;  // a subgroup's matrices of sums
const uint kAcross = kColumnsC / kSubgroupsAcross / kMatrixColumns;
#ifdef DOUBLE
const uint kTiles = 2;
#else
const uint kTiles = 1;
#endif

shared uvec4 tile_a[kTiles * kRowsC * kPitch];
#ifdef B_BY_ROWS
const uint kRowsB = kDepth;
const uint kRowVectorsB = kColumnsC / kVector;
#else
const uint kRowsB = kColumnsC;
const uint kRowVectorsB = kRowVectors;
#endif
const uint kPitchB = kRowVectorsB + 1;
shared uvec4 tile_b[kTiles * kRowsB * kPitchB];

uvec4 next_a[kVectorsA];
uvec4 next_b[kVectorsB];

#ifdef OFFSETS
const uint kRowsAtOnce = kThreads / kRowVectors;  // that all invocations copy with a vector each

uint first_place(uint pitch) { return gl_LocalInvocationIndex / kRowVectors * pitch + gl_LocalInvocationIndex % kRowVectors; }

void load(uint first_row, uint first_column, uint pitch, uint at) {
  const uint from = first_place(pitch) + at;
  [[unroll]] for (uint i = 0; i < kVectorsA; ++i) next_a[i] = a.at[first_row * pitch + from + i * kRowsAtOnce * pitch];
  [[unroll]] for (uint i = 0; i < kVectorsB; ++i) next_b[i] = b.at[first_column * pitch + from + i * kRowsAtOnce * pitch];
}

void store(uint tile) {
  const uint to = first_place(kPitch);
  [[unroll]] for (uint i = 0; i < kVectorsA; ++i) tile_a[tile * kRowsC * kPitch + to + i * kRowsAtOnce * kPitch] = next_a[i];
  [[unroll]] for (uint i = 0; i < kVectorsB; ++i) tile_b[tile * kColumnsC * kPitch + to + i * kRowsAtOnce * kPitch] = next_b[i];
}
#else
void load(uint first_row, uint first_column, uint pitch, uint at) {
  [[unroll]] for (uint i = 0; i < kVectorsA; ++i) {
    const uint v = i * kThreads + gl_LocalInvocationIndex;
    next_a[i] = a.at[(first_row + v / kRowVectors) * pitch + at + v % kRowVectors];
  }
  [[unroll]] for (uint i = 0; i < kVectorsB; ++i) {
    const uint v = i * kThreads + gl_LocalInvocationIndex;
#ifdef B_BY_ROWS
    next_b[i] = b.at[(at * kVector + v / kRowVectorsB) * (SIZE(params.n) / kVector) + first_column / kVector + v % kRowVectorsB];
#else
    next_b[i] = b.at[(first_column + v / kRowVectors) * pitch + at + v % kRowVectors];
#endif
  }
}

void store(uint tile) {
  [[unroll]] for (uint i = 0; i < kVectorsA; ++i) {
    const uint v = i * kThreads + gl_LocalInvocationIndex;
    tile_a[(tile * kRowsC + v / kRowVectors) * kPitch + v % kRowVectors] = next_a[i];
  }
  [[unroll]] for (uint i = 0; i < kVectorsB; ++i) {
    const uint v = i * kThreads + gl_LocalInvocationIndex;
    tile_b[(tile * kRowsB + v / kRowVectorsB) * kPitchB + v % kRowVectorsB] = next_b[i];
  }
}
#endif

void main() {
  const uvec2 tile_of_c = tile_at(kGroupRows);
  const uint first_row = tile_of_c.x * kRowsC;
  const uint first_column = tile_of_c.y * kColumnsC;
  const uint row = gl_SubgroupID / kSubgroupsAcross * (kRowsC / kSubgroupsDown);
  const uint column = gl_SubgroupID % kSubgroupsAcross * (kColumnsC / kSubgroupsAcross);
  const uint pitch = SIZE(params.k) / kVector;

  MATRIX_C acc[kDown][kAcross];
  [[unroll]] for (uint i = 0; i < kDown; ++i) {
    [[unroll]] for (uint j = 0; j < kAcross; ++j) acc[i][j] = MATRIX_C(ACC(0));
  }

  load(first_row, first_column, pitch, 0);
#ifdef DOUBLE
  store(0);
  barrier();
#endif
  uint tile = 0;
  LOOP_OVER_K for (uint k = 0; k < SIZE(params.k); k += kDepth) {
#ifndef DOUBLE
    barrier();  // the last step's readers are done
    store(0);
    barrier();
#endif
    const bool more = k + kDepth < SIZE(params.k);
    if (more) load(first_row, first_column, pitch, (k + kDepth) / kVector);

    [[unroll]] for (uint kk = 0; kk < kDepth; kk += kMatrixDepth) {
      MATRIX_A rows[kDown];
      [[unroll]] for (uint i = 0; i < kDown; ++i) {
        coopMatLoad(rows[i], tile_a, (tile * kRowsC + row + i * kMatrixRows) * kPitch + kk / kVector, kPitch,
                    gl_CooperativeMatrixLayoutRowMajor);
      }
      [[unroll]] for (uint j = 0; j < kAcross; ++j) {
        MATRIX_B columns;
#ifdef B_BY_ROWS
        coopMatLoad(columns, tile_b, (tile * kRowsB + kk) * kPitchB + (column + j * kMatrixColumns) / kVector, kPitchB,
                    gl_CooperativeMatrixLayoutRowMajor);
#else
        coopMatLoad(columns, tile_b, (tile * kRowsB + column + j * kMatrixColumns) * kPitchB + kk / kVector, kPitchB,
                    gl_CooperativeMatrixLayoutColumnMajor);
#endif
        [[unroll]] for (uint i = 0; i < kDown; ++i) acc[i][j] = coopMatMulAdd(rows[i], columns, acc[i][j]);
      }
    }
#ifdef DOUBLE
    tile ^= 1;
    if (more) store(tile);
    barrier();  // the next tiles are there, and nobody reads the one after
#endif
  }

#ifdef STAGED
  const uint out_vectors = kAcross * kMatrixColumns / kSumVector;  // of a row of a subgroup's sums
  const uint out_pitch = out_vectors + 1;
  const uint own = gl_SubgroupID * kMatrixRows * out_pitch;  // the subgroup's vectors in tile_a
  barrier();  // the last step's readers are done
  [[unroll]] for (uint i = 0; i < kDown; ++i) {
    [[unroll]] for (uint j = 0; j < kAcross; ++j)
      coopMatStore(acc[i][j], tile_a, own + j * kMatrixColumns / kSumVector, out_pitch, gl_CooperativeMatrixLayoutRowMajor);
    subgroupBarrier();
    const uint to = ((first_row + row + i * kMatrixRows) * SIZE(params.n) + first_column + column) / kSumVector;
    [[unroll]] for (uint v = 0; v < kMatrixRows * out_vectors / kSubgroup; ++v) {
      const uint at = v * kSubgroup + gl_SubgroupInvocationID;
      sums.at[to + at / out_vectors * (SIZE(params.n) / kSumVector) + at % out_vectors] = tile_a[own + at / out_vectors * out_pitch + at % out_vectors];
    }
    subgroupBarrier();
  }
#else
  [[unroll]] for (uint i = 0; i < kDown; ++i) {
    [[unroll]] for (uint j = 0; j < kAcross; ++j) {
      const uint at = (first_row + row + i * kMatrixRows) * SIZE(params.n) + first_column + column + j * kMatrixColumns;
      coopMatStore(acc[i][j], sums.at, at, SIZE(params.n), gl_CooperativeMatrixLayoutRowMajor);
    }
  }
#endif
}
