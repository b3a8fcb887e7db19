/** Utilities for the tests of every module. They depend on no Volute module. */
package io.volute.testing;
