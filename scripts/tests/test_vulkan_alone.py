"""Vulkan's own sentences: a card is known by its name, as each driver writes it, and no other card is taken for it."""

from __future__ import annotations


import pytest
import result_sets
from benchlib.pages import vulkan_alone

ROOT = result_sets.REPOSITORY


@pytest.mark.parametrize(
    ("gpu", "gbps"),
    [
        ("AMD Radeon RX 7900 XTX (RADV NAVI31)", 960),
        ("AMD Radeon RX 7900 XT", 800),
        ("AMD Radeon RX 6800 (RADV NAVI21)", 512),
        ("NVIDIA GeForce RTX 4070 Ti SUPER", 672),
        ("NVIDIA GeForce RTX 4070", None),  # sold with two kinds of memory
        ("NVIDIA GeForce RTX 4090 Laptop GPU", None),
        ("NVIDIA GeForce RTX 5090 D", None),
        ("Intel(R) Arc(TM) A750 Graphics (DG2)", 512),
        ("llvmpipe (LLVM 15.0.6, 256 bits)", None),
    ],
)
def test_a_card_is_known_by_its_name(gpu: str, gbps: float | None) -> None:
    assert vulkan_alone.card_gbps(ROOT, gpu) == gbps
