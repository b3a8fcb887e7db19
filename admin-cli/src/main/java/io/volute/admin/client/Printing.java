package io.volute.admin.client;

import io.volute.admin.output.Progress;
import io.volute.admin.output.TableOutput;
import io.volute.adminapi.AdminJson;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import picocli.CommandLine.Model.CommandSpec;

/** Prints the results of commands, as text lines or as a JSON document. */
public final class Printing {
    private final CommandSpec spec;

    public Printing(CommandSpec spec) {
        this.spec = spec;
    }

    public PrintWriter out() {
        return spec.commandLine().getOut();
    }

    /**
     * Returns the output for tables.
     *
     * @param isWide whether a terminal gets whole values as well
     */
    public TableOutput tables(boolean isWide) {
        CommandContext context = CommandContext.of(spec);
        return new TableOutput(
                out(),
                isWide || !context.screen().isOutTerminal(),
                context.screen().zone(),
                context.clock().instant());
    }

    /**
     * Returns the progress of long work.
     *
     * @param doing what is done, in a word
     * @param isJson whether nothing is shown, because the output is a document
     */
    public Progress progress(String doing, boolean isJson) {
        CommandContext context = CommandContext.of(spec);
        Progress.Kind kind =
                isJson
                        ? Progress.Kind.NOTHING
                        : context.screen().isErrTerminal()
                                ? Progress.Kind.BAR
                                : Progress.Kind.LINES;
        return new Progress(spec.commandLine().getErr(), kind, context.nanos(), doing);
    }

    public void line(String text) {
        out().println(text);
        out().flush();
    }

    public void json(Object document) {
        line(new String(AdminJson.write(document), StandardCharsets.UTF_8));
    }

    /** Prints the reason for the failure of a command. */
    public void error(String text) {
        PrintWriter err = spec.commandLine().getErr();
        err.println("volute: " + text);
        err.flush();
    }

    /** Says why something failed. Returns the exit code. */
    public int failed(IOException e) {
        error(message(e));
        return ServerOptions.FAILED;
    }

    /** Returns a readable message. The JDK's message for an unusable file is only its name. */
    private static String message(IOException e) {
        return switch (e) {
            case NoSuchFileException missing -> "no such file: " + missing.getFile();
            case AccessDeniedException denied -> "permission denied: " + denied.getFile();
            case FileAlreadyExistsException exists -> "file exists: " + exists.getFile();
            case NotDirectoryException file -> "not a directory: " + file.getFile();
            case FileSystemException other when other.getReason() == null -> other.toString();
            default -> e.getMessage();
        };
    }
}
