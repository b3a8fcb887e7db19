/** A small history to try the commands with. */
package io.volute.admin.demo;
