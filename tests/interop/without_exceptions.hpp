#pragma once
// read_model of a text, compiled without exceptions and RTTI; true where it gave a model.

bool reads_without_exceptions(const char* text);
