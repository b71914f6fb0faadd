// C = A B by cooperative matrices of subgroups, for matrices of one size that the pipeline knows: product_tile.glsl with less to
// compute in each step. An invocation's addresses in A and B are two pointers that advance; all else of an address is a constant.
// The next step's loads are not under a condition (behind the last step they repeat it), and stand between a step's first loads
// of matrices and its first products: a compiler can spread them among the products. Sums reach C by stores of 16 bytes.
// With DOUBLE there are two tiles of each operand, and a step's tiles are stored while the step before it multiplies: one barrier
// a step in place of two.
// Eight invocations next to each other, which store to shared memory at once, store to different banks: see spread().
// With B_BY_ROWS, B lies as k x n, and its tile in shared memory has a row for each of its k.
#include "matrix.glsl"
#include "order.glsl"
#extension GL_EXT_buffer_reference_uvec2 : require

layout(constant_id = 1) const uint kRowsC = 128;  // the workgroup's tile
layout(constant_id = 2) const uint kColumnsC = 128;
layout(constant_id = 3) const uint kDepth = 32;
layout(constant_id = 4) const uint kSubgroupsDown = 2;  // over the tile
layout(constant_id = 5) const uint kSubgroupsAcross = 4;
layout(constant_id = 6) const uint kGroupRows = 0;  // see order.glsl
layout(constant_id = 7) const uint kSize = 256;     // rows and columns of A, B and C
layout(constant_id = 11) const uint kSubgroup = 32;

const uint kVectorBytes = 16;
const uint kVector = 32 / TK == 1 ? 16 : 8;            // elements in a vector
const uint kSumVector = kVectorBytes / ACC_BYTES;      // sums in a vector
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Vectors { uvec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer SumVectors { uvec4 at[]; };
layout(push_constant, std430) uniform Push {
  Vectors a;
  Vectors b;
  SumVectors sums;
  MatrixParams params;
};

const uint kSubgroups = kSubgroupsDown * kSubgroupsAcross;
const uint kThreads = kSubgroup * kSubgroups;
const uint kSteps = kSize / kDepth;      // with DOUBLE: an even number
const uint kSizePitch = kSize / kVector;  // vectors in a row of A and of B
const uint kDown = kRowsC / kSubgroupsDown / kMatrixRows;  // a subgroup's matrices of sums
const uint kAcross = kColumnsC / kSubgroupsAcross / kMatrixColumns;

// A tile in shared memory: its vectors in a row, its pitch (16 bytes of padding: rows begin in different banks), its rows that all
// invocations copy with a vector each, and the vectors that an invocation copies.
const uint kRowVectorsA = kDepth / kVector;
const uint kPitchA = kRowVectorsA + 1;
const uint kAtOnceA = kThreads / kRowVectorsA;
const uint kVectorsA = kRowsC / kAtOnceA;
const uint kStepA = kRowVectorsA * kVectorBytes;  // between steps, in bytes
#ifdef B_BY_ROWS
const uint kRowsB = kDepth;
const uint kRowVectorsB = kColumnsC / kVector;
const uint kStepB = kDepth * kSizePitch * kVectorBytes;
#else
const uint kRowsB = kColumnsC;
const uint kRowVectorsB = kRowVectorsA;
const uint kStepB = kStepA;
#endif
const uint kPitchB = kRowVectorsB + 1;
const uint kAtOnceB = kThreads / kRowVectorsB;
const uint kVectorsB = kRowsB / kAtOnceB;

shared uvec4 tile_a[kRowsC * kPitchA];
shared uvec4 tile_b[kRowsB * kPitchB];
#ifdef DOUBLE  // arrays of their own: a compiler sees that a store to one tile changes nothing of the other
shared uvec4 other_a[kRowsC * kPitchA];
shared uvec4 other_b[kRowsB * kPitchB];
#endif

// Matrices next to each other that a subgroup copies to C at once, through as much of tile_a as it has.
#define STAGED_VECTORS(across) (kSubgroups * kMatrixRows * ((across) * kMatrixColumns / kSumVector + 1))
const uint kStaged = STAGED_VECTORS(kAcross) <= kRowsC * kPitchA       ? kAcross
                     : STAGED_VECTORS(kAcross / 2) <= kRowsC * kPitchA ? kAcross / 2
                                                                       : kAcross / 4;

uvec2 at_a;  // the address of the invocation's first vector of the step that load() reads, without 64-bit integers
uvec2 at_b;
uvec4 next_a[kVectorsA];
uvec4 next_b[kVectorsB];

// The row that takes the place of `row` among the rows that are copied at once. Eight vectors of rows next to each other, at a
// pitch of 3 or 5 vectors, lie in 7 of the 8 places that the banks have for 16 bytes: two of them wait for each other. Rows 2
// apart (of 2 vectors) and 4 apart (of 4) use all 8.
uint spread(uint row, uint row_vectors, uint at_once) {
  if (at_once % 8 != 0) return row;
  if (row_vectors == 2) return row & ~7u | (row & 3u) << 1 | row >> 2 & 1u;
  if (row_vectors == 4) return row & ~7u | (row & 1u) << 2 | row >> 1 & 3u;
  return row;
}

void load() {
  [[unroll]] for (uint i = 0; i < kVectorsA; ++i) next_a[i] = Vectors(at_a).at[i * kAtOnceA * kSizePitch];
  [[unroll]] for (uint i = 0; i < kVectorsB; ++i) next_b[i] = Vectors(at_b).at[i * kAtOnceB * kSizePitch];
}

uvec2 behind(uvec2 address, uint bytes) {
  uint carry;
  const uint low = uaddCarry(address.x, bytes, carry);
  return uvec2(low, address.y + carry);
}

void advance(bool more) {
  at_a = behind(at_a, more ? kStepA : 0);
  at_b = behind(at_b, more ? kStepB : 0);
}

#define STORE(to_a, to_b)                                                                           \
  [[unroll]] for (uint i = 0; i < kVectorsA; ++i) to_a[place_a + i * kAtOnceA * kPitchA] = next_a[i]; \
  [[unroll]] for (uint i = 0; i < kVectorsB; ++i) to_b[place_b + i * kAtOnceB * kPitchB] = next_b[i]

#ifdef B_BY_ROWS
#define LOAD_COLUMNS(matrix, from, j, kk)                                                                                  \
  coopMatLoad(matrix, from, (kk) * kPitchB + (column + (j) * kMatrixColumns) / kVector, kPitchB, gl_CooperativeMatrixLayoutRowMajor)
#else
#define LOAD_COLUMNS(matrix, from, j, kk)                                                                                  \
  coopMatLoad(matrix, from, (column + (j) * kMatrixColumns) * kPitchB + (kk) / kVector, kPitchB, gl_CooperativeMatrixLayoutColumnMajor)
#endif
#define LOAD_MATRICES(from_a, from_b, kk)                                                                                        \
  [[unroll]] for (uint i = 0; i < kDown; ++i)                                                                                    \
    coopMatLoad(rows[i], from_a, (row + i * kMatrixRows) * kPitchA + (kk) / kVector, kPitchA, gl_CooperativeMatrixLayoutRowMajor); \
  [[unroll]] for (uint j = 0; j < kAcross; ++j) LOAD_COLUMNS(columns[j], from_b, j, kk)
#define MULTIPLY                                \
  [[unroll]] for (uint j = 0; j < kAcross; ++j) \
    [[unroll]] for (uint i = 0; i < kDown; ++i) acc[i][j] = coopMatMulAdd(rows[i], columns[j], acc[i][j])
#define MULTIPLY_THE_REST(from_a, from_b)                                         \
  [[unroll]] for (uint kk = kMatrixDepth; kk < kDepth; kk += kMatrixDepth) {      \
    LOAD_MATRICES(from_a, from_b, kk);                                            \
    MULTIPLY;                                                                     \
  }

void main() {
  const uvec2 tile_of_c = tile_at(kGroupRows);
  const uint first_row = tile_of_c.x * kRowsC;
  const uint first_column = tile_of_c.y * kColumnsC;
  const uint row = gl_SubgroupID / kSubgroupsAcross * (kRowsC / kSubgroupsDown);
  const uint column = gl_SubgroupID % kSubgroupsAcross * (kColumnsC / kSubgroupsAcross);
  const uint row_a = spread(gl_LocalInvocationIndex / kRowVectorsA, kRowVectorsA, kAtOnceA);  // of the first vector in a tile
  const uint row_b = spread(gl_LocalInvocationIndex / kRowVectorsB, kRowVectorsB, kAtOnceB);
  const uint vector_a = gl_LocalInvocationIndex % kRowVectorsA;
  const uint vector_b = gl_LocalInvocationIndex % kRowVectorsB;
  const uint place_a = row_a * kPitchA + vector_a;
  const uint place_b = row_b * kPitchB + vector_b;
  // Matrices of up to 4 GiB.
  at_a = behind(uvec2(a), ((first_row + row_a) * kSizePitch + vector_a) * kVectorBytes);
#ifdef B_BY_ROWS
  at_b = behind(uvec2(b), (row_b * kSizePitch + first_column / kVector + vector_b) * kVectorBytes);
#else
  at_b = behind(uvec2(b), ((first_column + row_b) * kSizePitch + vector_b) * kVectorBytes);
#endif

  MATRIX_A rows[kDown];
  MATRIX_B columns[kAcross];
  MATRIX_C acc[kDown][kAcross];
  [[unroll]] for (uint i = 0; i < kDown; ++i) {
    [[unroll]] for (uint j = 0; j < kAcross; ++j) acc[i][j] = MATRIX_C(ACC(0));
  }

  load();
  advance(kSteps > 1);
#ifdef DOUBLE
  STORE(tile_a, tile_b);
  load();
  advance(kSteps > 2);
  barrier();
  // At the beginning tile_a and tile_b are of this step, the registers of the next, and the pointers of the one after.
  for (uint step = 0; step < kSteps; step += 2) {
    LOAD_MATRICES(tile_a, tile_b, 0);
    STORE(other_a, other_b);
    load();
    advance(step + 3 < kSteps);
    MULTIPLY;
    MULTIPLY_THE_REST(tile_a, tile_b)
    barrier();
    LOAD_MATRICES(other_a, other_b, 0);
    STORE(tile_a, tile_b);
    load();
    advance(step + 4 < kSteps);
    MULTIPLY;
    MULTIPLY_THE_REST(other_a, other_b)
    barrier();
  }
#else
  for (uint step = 0; step < kSteps; ++step) {
    barrier();  // the last step's readers are done
    STORE(tile_a, tile_b);
    barrier();
    LOAD_MATRICES(tile_a, tile_b, 0);
    load();
    advance(step + 2 < kSteps);
    MULTIPLY;
    MULTIPLY_THE_REST(tile_a, tile_b)
  }
  barrier();
#endif

  const uint out_vectors = kStaged * kMatrixColumns / kSumVector;  // of a row of the sums that are copied at once
  const uint out_pitch = out_vectors + 1;
  const uint own = gl_SubgroupID * kMatrixRows * out_pitch;  // the subgroup's vectors in tile_a
  [[unroll]] for (uint i = 0; i < kDown; ++i) {
    [[unroll]] for (uint first = 0; first < kAcross; first += kStaged) {
      [[unroll]] for (uint j = 0; j < kStaged; ++j)
        coopMatStore(acc[i][first + j], tile_a, own + j * kMatrixColumns / kSumVector, out_pitch, gl_CooperativeMatrixLayoutRowMajor);
      subgroupBarrier();
      const uint to = ((first_row + row + i * kMatrixRows) * kSize + first_column + column + first * kMatrixColumns) / kSumVector;
      [[unroll]] for (uint v = 0; v < kMatrixRows * out_vectors / kSubgroup; ++v) {
        const uint at = v * kSubgroup + gl_SubgroupInvocationID;
        sums.at[to + at / out_vectors * (kSize / kSumVector) + at % out_vectors] = tile_a[own + at / out_vectors * out_pitch + at % out_vectors];
      }
      subgroupBarrier();
    }
  }
}
