#!/bin/sh
# bench/remote.sh ARCHIVE --out FOLDER [--budget SECONDS] [--software]: on a machine with a GPU driver and no network, runs the
# GPU conformance checks and the throughput report out of an archive of bench/pack-remote.sh, in less than six minutes.
# FOLDER gets machine.log, conformance.{log,json} and report.{log,json,md,html}. Exit code 1 when anything failed.
# --software uses the SwiftShader that `pack-remote.sh --software` packs.
set -u

usage() {
  echo "usage: $0 ARCHIVE --out FOLDER [--budget SECONDS] [--software]" >&2
  exit 2
}
archive=
out=
budget=120
software=
patience=150
while [ $# -gt 0 ]; do
  case $1 in
    --out) [ $# -gt 1 ] || usage; out=$2; shift ;;
    --budget) [ $# -gt 1 ] || usage; budget=$2; shift ;;
    # Kernels alone take minutes to compile there.
    --software) software=--software; patience=1500 ;;
    -*) usage ;;
    *) archive=$1 ;;
  esac
  shift
done
[ -f "$archive" ] && [ "$out" ] || usage
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 2

home=$(mktemp -d) || exit 2
trap 'rm -rf "$home"' EXIT
tar -xzf "$archive" -C "$home" || exit 2
cd "$home" || exit 2
# Caches of shaders go where nothing of them stays.
export HOME=$home XDG_RUNTIME_DIR=$home

# Before a library that the machine has itself, ours never stands: a driver may want its own, newer one.
libraries() { LD_LIBRARY_PATH="$1${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"; export LD_LIBRARY_PATH; }
has_library() { ldconfig -p 2> /dev/null | grep -q "$1" || /sbin/ldconfig -p 2> /dev/null | grep -q "$1"; }
./node --version > /dev/null 2>&1 || libraries "$home/libcxx"
has_library libvulkan.so.1 || libraries "$home/lib"

# Prints the adapter; fails without one, and for software that was not asked for.
adapter() {
  ./node --input-type=module -e '
    const dawn = (await import("webgpu")).create([]);
    const { info } = (await dawn.requestAdapter({ powerPreference: "high-performance" })) ?? {};
    const name = info ? [info.vendor, info.architecture, info.device, info.description].join(" ") : "none";
    console.log("adapter: " + name);
    process.exit(!info || (/swiftshader|llvmpipe|lavapipe/i.test(name) && process.argv[1] !== "--software") ? 1 : 0);
  ' -- $software 2>&1
}

# Containers often hold a driver that no file tells the loader of; without X11 only its EGL library loads.
find_driver() {
  if [ "$software" ]; then
    export VK_DRIVER_FILES=$home/swiftshader/vk_swiftshader_icd.json
    adapter
    return
  fi
  adapter && return
  for file in /usr/local/nvidia/share/vulkan/icd.d/*.json /usr/local/share/vulkan/icd.d/*.json; do
    [ -f "$file" ] || continue
    export VK_DRIVER_FILES=$file
    adapter && return
  done
  for library in libGLX_nvidia.so.0 libEGL_nvidia.so.0; do
    echo "{\"file_format_version\":\"1.0.1\",\"ICD\":{\"library_path\":\"$library\",\"api_version\":\"1.3.0\"}}" > icd.json
    export VK_DRIVER_FILES=$home/icd.json
    adapter && return
  done
  return 1
}

within() {
  seconds=$1
  shift
  if command -v timeout > /dev/null; then timeout "$seconds" "$@"; else "$@"; fi
}

{
  uname -a
  cat /etc/os-release 2> /dev/null
  ./node --version
  nvidia-smi 2> /dev/null
  ls -l /etc/vulkan/icd.d /usr/share/vulkan/icd.d /usr/local/nvidia/share/vulkan/icd.d 2> /dev/null
  find_driver
} > "$out/machine.log" 2>&1
# The group above runs in this shell, so what it exported holds; whether it found a driver is asked again, for the eyes.
adapter || { echo "no adapter, see $out/machine.log" >&2; exit 1; }

failed=0
began=$(date +%s)
within $patience ./node conformance.mjs --vectors vectors --json "$out/conformance.json" $software > "$out/conformance.log" 2>&1 || failed=1
tail -n 1 "$out/conformance.log"
within $((budget + patience / 2)) ./node node_modules/cambium/dist/cli/main.js bench --report "$out" --budget "$budget" \
  --commit "$(cat commit)" > "$out/report.log" 2>&1 || failed=1
tail -n 1 "$out/report.log"
echo "$(($(date +%s) - began)) s"
exit $failed
