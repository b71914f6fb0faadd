# Run as a script (cmake -P): writes a source file that tells a program the hash of the sources listed in LIST.
file(READ ${LIST} sources)
set(whole "")
foreach(source IN LISTS sources)
  file(READ ${source} text)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  string(REGEX REPLACE "[ \t\r\n]+" " " text "${text}")
  string(STRIP "${text}" text)
  # An instance of a kernel includes its body by a path of this machine.
  string(REPLACE "${BUILT}/" "" text "${text}")
  string(REPLACE "${ROOT}/" "" text "${text}")
  string(REPLACE "${BUILT}/" "" name "${source}")
  string(REPLACE "${ROOT}/" "" name "${name}")
  string(SHA256 of_text "${text}")
  string(APPEND whole "${name} ${of_text}\n")
endforeach()
string(SHA256 hash "${whole}")
string(SUBSTRING ${hash} 0 12 hash)
file(WRITE ${OUTPUT} "#include \"core/base/environment.h\"

namespace {
[[maybe_unused]] const bool kTold = bench::tell_sources(\"${hash}\");
}
")
