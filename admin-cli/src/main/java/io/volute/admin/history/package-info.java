/** Commands that read an object's history and restore an earlier state. */
package io.volute.admin.history;
