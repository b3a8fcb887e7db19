/** The object store as plain maps, and a machine that compares the real one with it. */
package io.volute.testkit.model;
