# Flags for the project's own programs. They are never part of polyrope::polyrope.
add_library(polyrope_warnings INTERFACE)
target_compile_options(polyrope_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror)
