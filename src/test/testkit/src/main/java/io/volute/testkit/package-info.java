/** Fakes, models and harnesses for the tests: never a production dependency. */
package io.volute.testkit;
