uint load_any(Words words, uint i) {
  switch (ORDER) {
    case EXP06_WEAK:
      return words.at[i];
    case EXP06_RELAXED:
      return load_relaxed(words, i);
    default:
      return load_acquire(words, i);
  }
}
