uint add_any(uint i, uint value) {
  uint before = 0;
#define RELAXED_ADD(scope) before = atomicAdd(data.at[i], value, scope, gl_StorageSemanticsNone, gl_SemanticsRelaxed)
#define ACQUIRE_ADD(scope) before = atomicAdd(data.at[i], value, scope, gl_StorageSemanticsBuffer, ACQUIRE)
#define RELEASE_ADD(scope) before = atomicAdd(data.at[i], value, scope, gl_StorageSemanticsBuffer, RELEASE)
#define ACQ_REL_ADD(scope) before = atomicAdd(data.at[i], value, scope, gl_StorageSemanticsBuffer, ACQ_REL)
  switch (ORDER) {
    case EXP06_RELAXED:
      AT_SCOPE(RELAXED_ADD)
      break;
    case EXP06_ACQUIRE:
      AT_SCOPE(ACQUIRE_ADD)
      break;
    case EXP06_RELEASE:
      AT_SCOPE(RELEASE_ADD)
      break;
    default:
      AT_SCOPE(ACQ_REL_ADD)
      break;
  }
  return before;
}
