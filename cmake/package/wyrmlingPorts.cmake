# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
#
# wyrmling_add_port(NAME BELOW DEFINITION SOURCE...): the target wyrmling::NAME, whose sources are
# compiled in each target that links it, since they see that target's configuration headers.
function(wyrmling_add_port name below definition)
  add_library(wyrmling_${name} INTERFACE)
  add_library(wyrmling::${name} ALIAS wyrmling_${name})
  target_sources(wyrmling_${name} INTERFACE ${ARGN})
  target_compile_definitions(wyrmling_${name} INTERFACE ${definition}=1)
  target_link_libraries(wyrmling_${name} INTERFACE ${below})
endfunction()
