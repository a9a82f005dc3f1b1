{
  # Fallback for users on a platform without a prebuilt binary and without CMake.
  # CMakeLists.txt is the build developers use; both read native/sources.txt.
  'targets': [{
    'target_name': 'safetokens',
    'sources': ["<!@(node -p \"require('fs').readFileSync('native/sources.txt', 'utf8').trim().split(/\\s+/).join(' ')\")"],
    'include_dirs': [
      'native',
      "<!(node -p \"require('node-api-headers').include_dir\")",
      "<!(node -p \"require('node-addon-api').include_dir\")",
    ],
    'defines': ['NAPI_VERSION=8', 'NODE_ADDON_API_CPP_EXCEPTIONS_ALL',
                'NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS', 'SAFETOKENS_BUILD_TOOL="node-gyp"'],
    'cflags!': ['-fno-exceptions'],
    'cflags_cc!': ['-fno-exceptions', '-fno-rtti', '-std=gnu++17', '-std=gnu++20'],
    'cflags_cc': ['-std=c++20', '-fvisibility=hidden', '-fvisibility-inlines-hidden'],
    'xcode_settings': {
      'CLANG_CXX_LANGUAGE_STANDARD': 'c++20',
      'CLANG_CXX_LIBRARY': 'libc++',
      'GCC_ENABLE_CPP_EXCEPTIONS': 'YES',
      'GCC_ENABLE_CPP_RTTI': 'YES',
      'GCC_SYMBOLS_PRIVATE_EXTERN': 'YES',
      'MACOSX_DEPLOYMENT_TARGET': '11.0',
    },
    'msvs_settings': {
      'VCCLCompilerTool': {'ExceptionHandling': 1, 'AdditionalOptions': ['/std:c++20', '/utf-8']},
    },
  }],
}
