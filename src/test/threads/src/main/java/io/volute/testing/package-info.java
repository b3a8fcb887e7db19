/** What the tests of every module have in common; knows none of our modules. */
package io.volute.testing;
