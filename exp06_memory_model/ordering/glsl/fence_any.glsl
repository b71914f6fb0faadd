// Nothing for EXP06_RELAXED: the control without a fence.
void fence_any() {
  switch (ORDER) {
    case EXP06_RELAXED:
      break;
    case EXP06_ACQUIRE:
      fence_acquire();
      break;
    case EXP06_RELEASE:
      fence_release();
      break;
    default:
      fence_acq_rel();
      break;
  }
}
