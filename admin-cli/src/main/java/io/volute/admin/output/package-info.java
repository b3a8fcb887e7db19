/** Output of commands: tables, figures, JSON and progress. */
package io.volute.admin.output;
