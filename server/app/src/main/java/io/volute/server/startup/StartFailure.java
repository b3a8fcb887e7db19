package io.volute.server.startup;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Translates errors of the operating system at a start into instructions for the operator. */
public final class StartFailure {
    private static final Logger LOG = LoggerFactory.getLogger(StartFailure.class);

    private StartFailure() {}

    /** Returns the same failure with a message that names the directory and the next step. */
    public static IOException explain(IOException failure, Path directory) {
        Optional<AccessDeniedException> denied = denied(failure);
        if (denied.isPresent()) {
            return new IOException(advice(denied.get(), directory), failure);
        }
        if (!(failure instanceof FileSystemException)
                && !mentions(failure, "no space left", "read-only file system")) {
            return failure;
        }
        return new IOException(advice(failure, directory), failure);
    }

    private static String advice(IOException failure, Path directory) {
        String subject = "the data directory " + directory;
        if (mentions(failure, "operation not permitted", "read-only file system")) {
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

    private static Optional<AccessDeniedException> denied(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof AccessDeniedException denied && denied.getFile() != null) {
                return Optional.of(denied);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns advice that names both users, because in a container the reader is neither of them.
     */
    private static String advice(AccessDeniedException denied, Path directory) {
        Path place = Path.of(denied.getFile()).toAbsolutePath();
        while (place.getParent() != null && !Files.exists(place)) {
            place = place.getParent();
        }
        String user = user(Path.of("/proc/self"));
        String change =
                place.startsWith(directory.toAbsolutePath())
                        ? "run: chown -R " + user.replace("uid ", "") + " " + directory
                        : "give this user access to " + place;
        return "permission denied: "
                + denied.getFile()
                + ". This process runs as "
                + user
                + ", and "
                + place
                + " belongs to "
                + user(place)
                + "; "
                + change
                + ", or choose another data directory with --data DIR";
    }

    /** The number of the user that a file belongs to, or the name of our own without one. */
    private static String user(Path file) {
        try {
            return "uid " + Files.getAttribute(file, "unix:uid");
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            LOG.debug("{} has no owner", file, e);
            return System.getProperty("user.name");
        }
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
