package io.volute.admin.s3;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * An element of a parsed answer.
 *
 * @param name without namespace
 * @param text of this element and the elements in it
 * @param children all child elements, in order
 */
public record XmlTree(String name, String text, List<XmlTree> children) {
    private static final int MOST_LEVELS = 100;

    /** A list of 100,000 buckets has 300,000. */
    private static final int MOST_ELEMENTS = 500_000;

    /** Characters of the texts of all elements: text at a deep level counts at each level. */
    private static final int MOST_CHARACTERS = 64 << 20;

    /** The memory that a document may still use. Used by one thread. */
    private static final class Budget {
        private int elements = MOST_ELEMENTS;
        private int characters = MOST_CHARACTERS;

        void take(int more, String text) throws IOException {
            elements -= more;
            characters -= text.length();
            if (elements < 0 || characters < 0) {
                throw new IOException(
                        "the answer has more than "
                                + MOST_ELEMENTS
                                + " elements or "
                                + MOST_CHARACTERS
                                + " characters");
            }
        }
    }

    public XmlTree {
        children = List.copyOf(children);
    }

    /**
     * Parses a document. A document type is refused, so nothing is read from elsewhere.
     *
     * @throws IOException if it is no XML, or has too many elements or too much text
     */
    public static XmlTree parse(byte[] document) throws IOException {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, Boolean.FALSE);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, Boolean.FALSE);
        try {
            XMLStreamReader reader =
                    factory.createXMLStreamReader(new ByteArrayInputStream(document));
            while (reader.next() != XMLStreamConstants.START_ELEMENT) {
                if (reader.getEventType() == XMLStreamConstants.DTD) {
                    throw new IOException("the answer has a document type");
                }
            }
            XmlTree root = element(reader, 1, new Budget());
            while (reader.hasNext()) {
                reader.next();
            }
            return root;
        } catch (XMLStreamException e) {
            throw new IOException("the answer is no XML: " + e.getMessage(), e);
        }
    }

    private static XmlTree element(XMLStreamReader reader, int level, Budget budget)
            throws XMLStreamException, IOException {
        budget.take(1, "");
        if (level > MOST_LEVELS) {
            throw new IOException("the answer has elements in more than 100 levels");
        }
        String name = reader.getLocalName();
        StringBuilder text = new StringBuilder();
        List<XmlTree> children = new ArrayList<>();
        while (reader.next() != XMLStreamConstants.END_ELEMENT) {
            switch (reader.getEventType()) {
                case XMLStreamConstants.START_ELEMENT -> {
                    XmlTree child = element(reader, level + 1, budget);
                    budget.take(0, child.text());
                    children.add(child);
                    text.append(child.text());
                }
                case XMLStreamConstants.CHARACTERS,
                        XMLStreamConstants.CDATA,
                        XMLStreamConstants.SPACE -> {
                    budget.take(0, reader.getText());
                    text.append(reader.getText());
                }
                default -> {
                    // Comments and processing instructions say nothing.
                }
            }
        }
        return new XmlTree(name, text.toString(), children);
    }

    /** Returns the child elements of a name. */
    public List<XmlTree> children(String name) {
        return children().stream().filter(each -> each.name().equals(name)).toList();
    }

    /** Returns the first child element of a name. */
    public Optional<XmlTree> child(String name) {
        return children(name).stream().findFirst();
    }

    /** Returns the text of the first child element of a name; empty text without one. */
    public String text(String name) {
        return child(name).map(XmlTree::text).orElse("");
    }
}
