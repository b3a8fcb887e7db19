/** The space of the bookies. */
package io.volute.bookkeeper.space;
