/** Commands that check signed history and logs, with a server or from files. */
package io.volute.admin.audit;
