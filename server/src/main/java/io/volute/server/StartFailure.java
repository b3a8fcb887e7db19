package io.volute.server;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Locale;

/** Turns what the operating system says at a start into what a person can do about it. */
final class StartFailure {
    private StartFailure() {}

    /** The same failure with a message that names the directory and the way out. */
    static IOException explain(IOException failure, Path directory) {
        if (!(failure instanceof FileSystemException)
                && !mentions(failure, "no space left", "read-only file system")) {
            return failure;
        }
        return new IOException(advice(failure, directory), failure);
    }

    private static String advice(IOException failure, Path directory) {
        String subject = "the data directory " + directory;
        if (failure instanceof AccessDeniedException
                || mentions(failure, "operation not permitted", "read-only file system")) {
            return subject
                    + " cannot be written ("
                    + detail(failure)
                    + "): give this user write access, or choose another one with --data DIR";
        }
        if (mentions(failure, "no space left", "quota")) {
            return subject
                    + " is on a full disk: nothing is lost; free some space there, or give the"
                    + " store a bigger disk, and start again";
        }
        if (failure instanceof FileAlreadyExistsException
                || failure instanceof NotDirectoryException
                || mentions(failure, "not a directory")) {
            return subject
                    + " cannot be used: "
                    + detail(failure)
                    + " is not a directory; choose another one with --data DIR";
        }
        return subject + " cannot be used: " + failure + "; choose another one with --data DIR";
    }

    private static String detail(IOException failure) {
        return String.valueOf(failure.getMessage());
    }

    private static boolean mentions(IOException failure, String... words) {
        String message = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
        for (String word : words) {
            if (message.contains(word)) {
                return true;
            }
        }
        return false;
    }
}
