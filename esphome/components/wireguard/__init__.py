# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""ESPHome's own `wireguard:` component with Wyrmling in place of droscy/esp_wireguard.

This folder holds no copy of that component. It turns this module into the built-in one, with its
schema, platforms, automations and C++ sources, and then exchanges the library that the program is
linked with. The configuration stays as it is but for

    external_components:
      - source: github://OWNER/wyrmling@v0.1.0
        components: [wireguard]
"""

from importlib.machinery import SourceFileLoader
from pathlib import Path

from esphome.core import CORE
from esphome.loader import CORE_COMPONENTS_PATH

_LIBRARY = Path(__file__).resolve().parents[3] / "compat" / "esp_wireguard"
_REPLACED = "droscy/esp_wireguard"

# ESPHome looks for platforms along __path__, and for C++ sources beside the loader's file.
_BUILT_IN = CORE_COMPONENTS_PATH / "wireguard" / "__init__.py"
__file__ = str(_BUILT_IN)
__path__ = [str(_BUILT_IN.parent)]
__loader__ = SourceFileLoader(__name__, str(_BUILT_IN))
__spec__.loader = __loader__
__spec__.origin = __file__
__spec__.submodule_search_locations = __path__
exec(compile(_BUILT_IN.read_bytes(), _BUILT_IN, "exec"))

_built_in_to_code = to_code  # noqa: F821


async def to_code(config):
    await _built_in_to_code(config)
    replaced = [
        name for name in CORE.platformio_libraries if name.lower() == _REPLACED.split("/")[1]
    ]
    if len(replaced) != 1:
        raise RuntimeError(
            f"This version of ESPHome does not use {_REPLACED} for wireguard: "
            "update Wyrmling, or remove it from external_components."
        )
    CORE.platformio_libraries.pop(replaced[0])
    cg.add_library("esp_wireguard", None, f"symlink://{_LIBRARY}")  # noqa: F821
