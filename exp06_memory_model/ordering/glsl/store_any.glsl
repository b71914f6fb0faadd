void store_any(Words words, uint i, uint value) {
  switch (ORDER) {
    case EXP06_WEAK:
      words.at[i] = value;
      break;
    case EXP06_RELAXED:
      store_relaxed(words, i, value);
      break;
    case EXP06_FENCE:  // releases, too
      fence_acq_rel();
      store_relaxed(words, i, value);
      break;
    case EXP06_FENCE_ONE_WAY:
      fence_release();
      store_relaxed(words, i, value);
      break;
    case EXP06_RELEASE_BARE:
      store_release_bare(words, i, value);
      break;
    default:
      store_release(words, i, value);
      break;
  }
}
