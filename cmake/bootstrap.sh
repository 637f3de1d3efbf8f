#!/bin/sh
# ./cmake/bootstrap.sh demo|test|bench|asan|arm64|long
#
# From a machine with git and a shell to the result: installs by apt what the word needs and the machine lacks, then
# runs the CMake workflow of that name. Where it may not install, it names the packages and the command and stops.
# Made for Debian 12 and 13 and Ubuntu 24.04; elsewhere it works as soon as nothing is missing.
set -eu
cd "$(dirname "$0")/.."

word=${1-}
case $word in
    demo | test | bench | asan | arm64 | long) ;;
    *)
        echo "usage: $0 demo|test|bench|asan|arm64|long" >&2
        exit 2
        ;;
esac

has_command() { command -v "$1" >/dev/null 2>&1; }

# A header below one of the usual prefixes or of CMAKE_PREFIX_PATH.
has_header() {
    for prefix in /usr /usr/local $(echo "${CMAKE_PREFIX_PATH-}" | tr ';:' '  '); do
        [ -e "$prefix/include/$1" ] && return 0
    done
    return 1
}

has_cmake() {
    has_command cmake || return 1
    version=$(cmake --version | sed -n '1s/[^0-9]*\([0-9]*\.[0-9]*\).*/\1/p')
    major=${version%%.*}
    minor=${version#*.}
    [ "$major" -gt 3 ] || { [ "$major" -eq 3 ] && [ "$minor" -ge 25 ]; }
}

# The Debian packages that this word needs and this machine lacks.
missing_packages() {
    has_cmake || echo cmake
    has_command ninja || echo ninja-build
    has_command "${CXX:-c++}" || echo g++
    case $word in
        demo) has_header nlohmann/json.hpp || echo nlohmann-json3-dev ;;
        bench)
            has_header benchmark/benchmark.h || echo libbenchmark-dev
            has_header eigen3/Eigen/Core || echo libeigen3-dev
            ;;
        *)
            has_header eigen3/Eigen/Core || echo libeigen3-dev
            has_header catch2/catch_all.hpp || has_header catch2/catch.hpp || echo catch2
            has_header nlohmann/json.hpp || echo nlohmann-json3-dev
            ;;
    esac
    if [ "$word" = arm64 ]; then
        has_command aarch64-linux-gnu-g++ || echo g++-aarch64-linux-gnu
        has_command qemu-aarch64 || echo qemu-user
    fi
}

# How to become root, if this user may: nothing to add, sudo, or no way.
become_root() {
    if [ "$(id -u)" -eq 0 ]; then
        echo env
    elif has_command sudo && { sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }; }; then
        echo "sudo env"
    else
        return 1
    fi
}

missing=$(missing_packages | tr '\n' ' ' | sed 's/ $//')
if [ -n "$missing" ]; then
    install="apt-get install -y --no-install-recommends $missing"
    if has_command apt-get && root=$(become_root); then
        echo "installing: $missing"
        apt="$root DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300"
        # A source that does not answer is no reason to stop: the install below tells whether its packages are needed.
        $apt update || echo "apt-get update met errors, going on" >&2
        # shellcheck disable=SC2086  # one word per package
        $apt install -y --no-install-recommends $missing ||
            { echo "could not install: $missing" >&2; exit 1; }
    else
        {
            echo "missing: $missing"
            echo "this user may not install; as root, run:"
            echo "    apt-get update && $install"
        } >&2
        exit 1
    fi
    missing=$(missing_packages | tr '\n' ' ' | sed 's/ $//')
    if [ -n "$missing" ]; then
        echo "still missing after the install: $missing" >&2
        case " $missing " in *" cmake "*) echo "cmake 3.25 or newer is needed" >&2 ;; esac
        exit 1
    fi
fi

exec cmake --workflow --preset "$word"
