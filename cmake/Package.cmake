# `cmake --build --preset release --target package`: a tarball of the programs, and of the scripts that run them and read their
# results, for machines without a toolchain. It runs where the C and C++ libraries are as new as those of the machine that makes it.
# What an experiment brings is installed by add_experiment.
install(PROGRAMS scripts/run.sh scripts/setup.sh scripts/worklog.py scripts/report.py scripts/dump_sass.py
                 scripts/counters.py scripts/beside.py scripts/compare.py scripts/hand_in.py scripts/why.py scripts/undecided.py scripts/own_kernel.py scripts/fleet.sh scripts/fleet.sbatch scripts/fleet.py
        DESTINATION scripts)
install(FILES scripts/lib.sh DESTINATION scripts)
install(DIRECTORY scripts/benchlib DESTINATION scripts PATTERN __pycache__ EXCLUDE)
install(FILES README.md CITATION.cff LICENSE DESTINATION .)
install(FILES docs/ARCHITECTURES.md docs/CORRECTIONS.md docs/COURSE.md docs/CSV.md docs/DESIGN.md docs/DRIVER.md docs/FLEET.md docs/GLOSSARY.md docs/METHOD.md docs/RESULTS.md docs/RULES.md 
              docs/USING.md docs/YOUR_CARD.md
              docs/cards.toml docs/round.toml docs/sources.toml docs/summary.toml docs/vulkan.toml docs/published.csv DESTINATION docs)

set(CPACK_GENERATOR TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/PackageName.cmake)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
