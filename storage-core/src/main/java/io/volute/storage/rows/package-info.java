/**
 * The typed index: one class for each kind of row, their byte encodings, and {@code CubeIndex},
 * which reads and writes them. Knows no accounting and no commits.
 */
package io.volute.storage.rows;
