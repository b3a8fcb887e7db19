package io.volute.server.s3.request;

import io.volute.server.Limits;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.PercentCoding.Plus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The query, decoded once; names are unique (a name sent twice is refused) and case-sensitive. */
public record QueryParameters(List<Parameter> parameters) {
    public QueryParameters {
        parameters = List.copyOf(parameters);
    }

    /** The only parameter that may be sent more than once. */
    private static final String LIST = "events";

    /** One parameter; the value is empty when there was no equals sign. */
    public record Parameter(String name, String value) {}

    /**
     * @param raw without the question mark
     * @throws S3Exception InvalidURI, or InvalidArgument for a name sent twice
     */
    public static QueryParameters parse(String raw) {
        List<Parameter> found = new ArrayList<>();
        int begin = 0;
        while (begin < raw.length()) {
            int end = raw.indexOf('&', begin);
            if (end < 0) {
                end = raw.length();
            }
            if (end > begin) {
                found.add(parameter(raw, begin, end));
            }
            if (found.size() > Limits.QUERY_PARAMETERS_MAX) {
                throw new S3Exception(
                        S3Error.INVALID_URI,
                        "More than " + Limits.QUERY_PARAMETERS_MAX + " query parameters.");
            }
            begin = end + 1;
        }
        refuseDuplicates(found);
        return new QueryParameters(found);
    }

    private static Parameter parameter(String raw, int begin, int end) {
        int equals = raw.indexOf('=', begin);
        if (equals < 0 || equals >= end) {
            return new Parameter(PercentCoding.decode(raw.substring(begin, end), Plus.SPACE), "");
        }
        return new Parameter(
                PercentCoding.decode(raw.substring(begin, equals), Plus.SPACE),
                PercentCoding.decode(raw.substring(equals + 1, end), Plus.SPACE));
    }

    private static void refuseDuplicates(List<Parameter> found) {
        for (int i = 1; i < found.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (found.get(i).name().equalsIgnoreCase(found.get(j).name())
                        && !isList(found.get(i).name(), found.get(j).name())) {
                    throw S3Exception.invalidArgument(
                            found.get(i).name(),
                            found.get(i).value(),
                            "A query parameter may be given only once.");
                }
            }
        }
    }

    private static boolean isList(String name, String other) {
        return name.equals(LIST) && other.equals(LIST);
    }

    /** Returns all values of a parameter, in the order in which they were sent. */
    public List<String> all(String name) {
        return parameters.stream()
                .filter(each -> each.name().equals(name))
                .map(Parameter::value)
                .toList();
    }

    public boolean has(String name) {
        for (Parameter parameter : parameters) {
            if (parameter.name().equals(name)) {
                return true;
            }
        }
        return false;
    }

    public Optional<String> get(String name) {
        for (Parameter parameter : parameters) {
            if (parameter.name().equals(name)) {
                return Optional.of(parameter.value());
            }
        }
        return Optional.empty();
    }

    /** The value, or the empty string when the parameter is not there. */
    public String text(String name) {
        return get(name).orElse("");
    }
}
