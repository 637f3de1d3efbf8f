"""The few calls of the CUDA driver that running a kernel on a device takes."""

import ctypes
import os


class NoDevice(Exception):
    pass


class DriverError(Exception):
    pass


class Device:
    """The first device, with a context of its own process."""

    def __init__(self):
        try:
            self._driver = ctypes.CDLL("libcuda.so.1")
        except OSError:
            raise NoDevice("there is no driver library libcuda.so.1") from None
        count = ctypes.c_int(0)
        error = self._driver.cuInit(0) or self._driver.cuDeviceGetCount(ctypes.byref(count))
        if error or count.value == 0:
            raise NoDevice(f"the driver counts {count.value} devices (error {error})")
        device, context = ctypes.c_int(0), ctypes.c_void_p()
        self._call("cuDeviceGet", ctypes.byref(device), 0)
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._call("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(256)
        self._call("cuDeviceGetName", name, 256, device)
        major, minor = ctypes.c_int(0), ctypes.c_int(0)
        self._call("cuDeviceGetAttribute", ctypes.byref(major), 75, device)
        self._call("cuDeviceGetAttribute", ctypes.byref(minor), 76, device)
        self.name, self.capability = name.value.decode(), 10 * major.value + minor.value

    def _call(self, function, *arguments):
        error = getattr(self._driver, function)(*arguments)
        if error:
            text = ctypes.c_char_p()
            self._driver.cuGetErrorString(error, ctypes.byref(text))
            raise DriverError(f"{function}: {text.value.decode() if text.value else error}")

    def load(self, path):
        """A module from a cubin or PTX file."""
        with open(path, "rb") as file:
            image = file.read() + b"\0"
        module = ctypes.c_void_p()
        self._call("cuModuleLoadData", ctypes.byref(module), image)
        return module

    def function(self, module, name):
        found = ctypes.c_void_p()
        self._call("cuModuleGetFunction", ctypes.byref(found), module, name.encode())
        return found

    def upload(self, data):
        """Device memory that holds `data`, and as many bytes as it has."""
        address = ctypes.c_uint64(0)
        self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(1, len(data))))
        if data:
            self._call("cuMemcpyHtoD_v2", address, bytes(data), ctypes.c_size_t(len(data)))
        return address

    def download(self, address, size):
        data = ctypes.create_string_buffer(max(1, size))
        if size:
            self._call("cuMemcpyDtoH_v2", data, address, ctypes.c_size_t(size))
        return data.raw[:size]

    def free(self, address):
        self._call("cuMemFree_v2", address)

    def launch(self, function, grid, block, parameter):
        """One launch with one parameter, passed by value, waited for."""
        value = ctypes.create_string_buffer(bytes(parameter), len(parameter))
        parameters = (ctypes.c_void_p * 1)(ctypes.addressof(value))
        self._call("cuLaunchKernel", function, *map(ctypes.c_uint, (*grid, *block)), ctypes.c_uint(0), None, parameters, None)
        self._call("cuCtxSynchronize")


def reason_to_fail(reason):
    """The exit status where there is no device: 77, "skipped", or 1 where POLYROPE_REQUIRE_GPU is 1."""
    required = os.environ.get("POLYROPE_REQUIRE_GPU") == "1"
    print(f"{'failed' if required else 'skipped'}: no CUDA device can be reached ({reason})")
    return 1 if required else 77
