/** The one grammar of all commands: former spellings, types of values, examples. */
package io.volute.admin.grammar;
