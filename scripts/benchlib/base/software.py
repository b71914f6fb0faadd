"""Which devices are no GPU: Vulkan on the CPU (Mesa's lavapipe, SwiftShader, Windows' Basic Render Driver). Their times say nothing about GPUs, so nothing is decided by them."""

import re

from benchlib.base.kept import kept_last

CPU = "cpu"  # in a row's device_type
PREFIX, SUFFIX = "software-", " (software)"  # of what the programs' --print-slug and --list-devices call them
_NAMES = re.compile(r"llvmpipe|lavapipe|swiftshader|basic.render.driver", re.IGNORECASE)


@kept_last(256)
def is_software(name: str, device_type: str = "") -> bool:
    """By the type where it is told; by the name in rows from before they told it. `name`: the device's, as a row, --print-slug or --list-devices has it."""
    return device_type == CPU if device_type else name.startswith(PREFIX) or name.endswith(SUFFIX) or bool(_NAMES.search(name))
