/** Crashes work at every point, and checks what is found afterwards. */
package io.volute.testkit.crash;
