package io.volute.server.s3.xml;

import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** An element of a request document: its local name, its own text, its children. */
public record XmlElement(String name, String text, List<XmlElement> children) {
    public XmlElement {
        children = List.copyOf(children);
    }

    /**
     * Refuses elements that are not known. A setting of security that is not understood would
     * otherwise be accepted and dropped.
     *
     * @param paths names of all elements below this one, each behind those around it and {@code /}
     * @throws S3Exception MalformedXML
     */
    public XmlElement only(Set<String> paths) {
        only("", paths);
        return this;
    }

    private void only(String above, Set<String> paths) {
        for (XmlElement child : children) {
            String path = above + child.name();
            if (!paths.contains(path)) {
                throw new S3Exception(S3Error.MALFORMED_XML);
            }
            child.only(path + "/", paths);
        }
    }

    /** The children of this name. */
    public List<XmlElement> all(String childName) {
        List<XmlElement> found = new ArrayList<>();
        for (XmlElement child : children) {
            if (child.name().equals(childName)) {
                found.add(child);
            }
        }
        return found;
    }

    /**
     * The only child of this name.
     *
     * @throws S3Exception MalformedXML when there are more
     */
    public Optional<XmlElement> child(String childName) {
        Optional<XmlElement> found = Optional.empty();
        for (XmlElement child : children) {
            if (child.name().equals(childName)) {
                if (found.isPresent()) {
                    throw new S3Exception(S3Error.MALFORMED_XML);
                }
                found = Optional.of(child);
            }
        }
        return found;
    }

    /** The text of the only child of this name. */
    public Optional<String> childText(String childName) {
        return child(childName).map(XmlElement::text);
    }
}
