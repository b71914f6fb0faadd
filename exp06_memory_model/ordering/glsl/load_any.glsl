// Acquires, too: GL_KHR_memory_scope_semantics, "Synchronizes-With".
uint load_fenced(Words words, uint i) {
  const uint value = load_relaxed(words, i);
  if (ORDER == EXP06_FENCE) {
    fence_acq_rel();
  } else {
    fence_acquire();
  }
  return value;
}

uint load_any(Words words, uint i) {
  switch (ORDER) {
    case EXP06_WEAK:
      return words.at[i];
    case EXP06_RELAXED:
      return load_relaxed(words, i);
    case EXP06_FENCE:
    case EXP06_FENCE_ONE_WAY:
      return load_fenced(words, i);
    case EXP06_ACQUIRE_BARE:
      return load_acquire_bare(words, i);
    default:
      return load_acquire(words, i);
  }
}
